import { createServer } from "node:net";
import { expect, test } from "vitest";
import { doorScene, exchange, listening, lists } from "../../../test/support/door-scene.ts";

const ask = "CONNECT example.com:443 HTTP/1.1\r\n\r\n";

test("a name that is looked up too slowly, or not found, is a failure and not a refusal", async () => {
  const late = await doorScene({ resolve: () => new Promise(() => undefined), limits: { resolveTime: 20 } });
  const missing = await doorScene({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
  expect(await exchange(late.port, ask)).toMatch(/^HTTP\/1\.1 502 [^]*looking up example\.com took too long/);
  expect(await exchange(missing.port, ask)).toMatch(/^HTTP\/1\.1 502 [^]*example\.com was not found/);
  expect([late.refusals, missing.refusals, late.dialed, missing.dialed]).toEqual([[], [], [], []]);
});

test("a name is resolved once per request, and what it resolves to next is judged anew", async () => {
  const answers = [["93.184.216.34"], ["127.0.0.1"], ["93.184.216.35"]];
  let asked = 0;
  const { port: upstreamPort } = await listening(createServer((socket) => socket.end()));
  const { port, dialed } = await doorScene({ upstreamPort, resolve: async () => answers[asked++] ?? [] });
  const statuses = [await exchange(port, ask), await exchange(port, ask), await exchange(port, ask)];
  expect(statuses.map((text) => text.slice(9, 12))).toEqual(["200", "403", "200"]);
  expect([asked, dialed]).toEqual([3, ["93.184.216.34:443", "93.184.216.35:443"]]);
});

test("a host that is not listed is never looked up, so nothing can be sent in a name", async () => {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return ["93.184.216.34"];
  };
  const { port } = await doorScene({ resolve, policy: () => lists({ allow: ["example.com"] }) });
  await exchange(port, "CONNECT c2VjcmV0.evil.example:443 HTTP/1.1\r\n\r\n");
  await exchange(port, "CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n");
  expect(asked).toEqual([]);
});
