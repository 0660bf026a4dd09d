import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { openBoard } from "../src/board/read-board.ts";
import { stopEntry } from "../src/board/stop-entry.ts";
import { openEntry } from "../src/commands/watch/opened.ts";
import { serveDashboard } from "../src/dashboard/serve-dashboard.ts";
import { sealedParts } from "../src/receipts/seal/find-receipt.ts";
import { buildPage } from "../scripts/build-page.ts";
import { aReceipt, aRun } from "./support/board-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { startSignalbox } from "./support/start-dashboard.ts";
import { tempFolder } from "./support/temp-folder.ts";

async function dashboard(home = tempFolder()) {
  const served = await serveDashboard(openBoard(home), 0, {
    open: (entry) => openEntry(home, entry),
    receipt: (id) => sealedParts(home, id),
    proof: () => ({ guarantees: {}, agents: [] }),
    stop: (entry) => stopEntry(home, entry),
  });
  onTestFinished(() => served[Symbol.asyncDispose]());
  return { ...served, home };
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** With exactly these headers, which `fetch` would not send. */
function ask(port: number, path: string, { method = "GET", headers = {}, body = "" }: Sent) {
  return new Promise<{ readonly status: number; readonly text: string; readonly headers: object }>(
    (resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", path, method, headers }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

test("only our own page is answered, with the token of this start in a header", async () => {
  const { port, token } = await dashboard();
  const good = { authorization: `Bearer ${token}` };
  const json = { ...good, "content-type": "application/json" };
  const cases: readonly (readonly [number, string, Sent])[] = [
    [200, "/api/proof", { headers: good }],
    [200, "/api/proof", { headers: { ...good, origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" } }],
    [200, "/api/proof", { headers: { ...good, host: `localhost:${port}` } }],
    [401, "/api/proof", {}],
    [401, "/api/proof", { headers: { authorization: "Bearer " } }],
    [401, "/api/proof", { headers: { authorization: `Bearer ${token}x` } }],
    [401, "/api/proof", { headers: { authorization: `Bearer ${"A".repeat(43)}` } }],
    [400, `/api/proof?token=${token}`, {}],
    [421, "/api/proof", { headers: { ...good, host: "evil.example" } }],
    [421, "/", { headers: { host: `127.0.0.1.evil.example:${port}` } }],
    [421, "/api/proof", { headers: { ...good, host: `127.0.0.1:${port + 1}` } }],
    [403, "/api/proof", { headers: { ...good, origin: "http://evil.example" } }],
    [403, "/api/proof", { headers: { ...good, origin: "null" } }],
    [403, "/api/proof", { headers: { ...good, origin: `http://127.0.0.1:${port + 1}` } }],
    [403, "/api/proof", { headers: { ...good, origin: `https://127.0.0.1:${port}` } }],
    [403, "/api/proof", { headers: { ...good, "sec-fetch-site": "cross-site" } }],
    [403, "/page.js", { headers: { "sec-fetch-site": "same-site" } }],
    [
      403,
      "/",
      { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" } },
    ],
    [405, "/api/stop", { method: "PUT", headers: json, body: "{}" }],
    [405, "/api/stop", { method: "OPTIONS", headers: { origin: `http://127.0.0.1:${port}` } }],
    [405, "/", { method: "POST", headers: good }],
    [415, "/api/stop", { method: "POST", headers: { ...good, "content-type": "text/plain" }, body: "{}" }],
    [415, "/api/stop", { method: "POST", headers: { ...good, "content-type": "application/x-www-form-urlencoded" } }],
    [409, "/api/stop", { method: "POST", headers: json, body: "{" }],
    [409, "/api/stop", { method: "POST", headers: json, body: '{"id":1}' }],
    [404, "/api/stop", { method: "POST", headers: json, body: '{"id":"../../x"}' }],
    [404, "/../../../etc/passwd", {}],
    [404, "/api/nothing", { headers: good }],
    [409, "/api/receipt/none", { headers: good }],
  ];
  const statuses = await Promise.all(cases.map(async ([, path, sent]) => (await ask(port, path, sent)).status));
  expect(statuses.map((status, at) => [status, ...(cases[at] ?? []).slice(1)])).toEqual(
    cases.map(([status, ...rest]) => [status, ...rest]),
  );
});

test("nothing that was refused tells the token, and every answer has the headers that hold a page", async () => {
  const { port, token } = await dashboard();
  for (const sent of [{}, { headers: { host: "evil" } }, { headers: { authorization: `Bearer ${token}` } }]) {
    const { text, headers } = await ask(port, "/api/proof", sent);
    expect(text).not.toContain(token);
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringContaining("require-trusted-types-for 'script'"),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  }
});

test("10 MB are not read", async () => {
  const { port, token } = await dashboard();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const outcome = await ask(port, "/api/stop", { method: "POST", headers, body: "x".repeat(10_000_000) }).then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code,
  );
  expect([409, "EPIPE", "ECONNRESET"]).toContain(outcome);
  expect((await ask(port, "/api/proof", { headers })).status).toBe(200);
});

test("the board comes as a stream that goes on where a page has stopped reading", async () => {
  const { port, token, home } = await dashboard();
  const headers = { authorization: `Bearer ${token}` };
  const read = async (after: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/board/${after}`, { headers });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return JSON.parse(new TextDecoder().decode(value));
  };
  const first = await read(0);
  expect(first).toMatchObject({ entries: [], problems: [] });
  const next = read(first.seq);
  aReceipt(home, { verified: "accepted" });
  expect((await next).seq).toBeGreaterThan(first.seq);
  const streams = await Promise.all(
    Array.from({ length: 120 }, () => fetch(`http://127.0.0.1:${port}/api/board/0`, { headers })),
  );
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200, 429]));
  for (const { body } of streams) await body?.cancel();
});

test("a run is stopped by its id, once it is on the board", async () => {
  const home = tempFolder();
  const run = aRun(home);
  const { port, token } = await dashboard(home);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const [entry] = openBoard(home).read().entries;
  const body = JSON.stringify({ id: entry?.id });
  await expect.poll(async () => (await ask(port, "/api/stop", { method: "POST", headers, body })).status).toBe(200);
  expect(run.cancelled()).toBe("stopped from the board");
});

test("a port that is taken is named, and two dashboards have tokens of their own", async () => {
  const one = await dashboard();
  const two = await dashboard(one.home);
  expect(two.token).not.toBe(one.token);
  const taken = await signalbox(["dashboard", "--port", String(one.port)], { env: { HOME: one.home } });
  expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining("the port is taken") });
  const old = { headers: { authorization: `Bearer ${one.token}` } };
  expect((await ask(two.port, "/api/proof", old)).status).toBe(401);
});

test("the command prints the address, keeps it where only its owner reads it, and leaves nothing", async () => {
  const home = tempFolder();
  await using running = await startSignalbox(["dashboard"], home);
  const url = await running.firstLine();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}$/);
  const folder = join(home, ".signalbox/dashboards");
  const [name = ""] = readdirSync(folder);
  expect(readFileSync(join(folder, name), "utf8")).toContain(url);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(await running.end("SIGINT")).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});

test("the page's script is at most 40 KB, compressed, and makes no markup from text", async () => {
  const folder = tempFolder();
  await buildPage(folder);
  const script = readFileSync(join(folder, "page.js"));
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(40 * 1024);
  writeFileSync(join(folder, "seen"), "");
  for (const name of readdirSync(join(import.meta.dirname, "../page")))
    expect(readFileSync(join(import.meta.dirname, "../page", name), "utf8")).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerously|eval\(/,
    );
});
