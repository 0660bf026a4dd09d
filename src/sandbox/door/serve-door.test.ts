import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { doorScene, exchange, listening, lists, openClient } from "../../../test/support/door-scene.ts";

const basic = (user: string) => `Proxy-Authorization: Basic ${Buffer.from(user).toString("base64")}\r\n`;

/** Answers each request with what it saw of it. */
async function echoHttp() {
  const seen: string[] = [];
  const { port } = await listening(
    createHttp((request: IncomingMessage, response: ServerResponse) => {
      void text(request).then((body) => {
        seen.push(`${request.method} ${request.url} ${request.headers.host} ${body}`);
        response.setHeader("X-Auth", request.headers["proxy-authorization"] ?? "none");
        if (request.url === "/moved") response.writeHead(302, { Location: "http://other.example/x" });
        response.end(`saw ${request.url}`);
      });
    }),
  );
  return { seen, port };
}

/** Sends everything back, then ends. */
const echoTcp = () => listening(createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)));

const BLOCKED =
  "blocked by the sandbox: other.example:443 is not in network.allow. To run it outside: signalbox outside -- CMD";

test("CONNECT opens a tunnel to the address the name resolved to, and what went through is counted", async () => {
  const { port: upstreamPort } = await echoTcp();
  const { door, port, records, dialed } = await doorScene({ upstreamPort });
  const got = await exchange(port, `CONNECT example.com:443 HTTP/1.1\r\n${basic("c1:x")}\r\nhello`);
  expect(got).toBe("HTTP/1.1 200 Connection established\r\n\r\nhello");
  expect(dialed).toEqual(["93.184.216.34:443"]);
  expect(records).toEqual([
    { host: "example.com", port: 443, verdict: "allow", because: "in network.allow, or lent", command: "command c1" },
  ]);
  await vi.waitFor(() =>
    expect(door.traffic()).toEqual([
      { host: "example.com", port: 443, sent: 5, received: 5, refused: 0, commands: ["command c1"] },
    ]),
  );
});

test("a refused CONNECT gets a sentence, in the body and in a header, and the command is told once", async () => {
  const { door, port, records, refusals, dialed } = await doorScene();
  const ask = `CONNECT other.example:443 HTTP/1.1\r\n${basic("c7:")}\r\n`;
  const got = await exchange(port, ask);
  await exchange(port, ask);
  expect(got).toBe(
    `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${BLOCKED.length + 1}\r\nX-Signalbox: ${BLOCKED}\r\nConnection: close\r\n\r\n${BLOCKED}\n`,
  );
  expect([dialed, refusals, records.length]).toEqual([[], [{ id: "c7", text: BLOCKED }], 1]);
  expect(door.traffic()).toEqual([
    { host: "other.example", port: 443, sent: 0, received: 0, refused: 2, commands: ["command c7"] },
  ]);
});

test("plain HTTP is passed on with its own path and host, without the user name of the proxy", async () => {
  const { seen, port: upstreamPort } = await echoHttp();
  const { port } = await doorScene({ upstreamPort });
  const got = await exchange(
    port,
    `POST http://example.com/a%2Fb?q=1 HTTP/1.1\r\nHost: elsewhere.example\r\n${basic("c1:x")}Content-Length: 4\r\nConnection: close\r\n\r\nbody`,
  );
  expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(got).toContain("X-Auth: none");
  expect(got).toContain("saw /a%2Fb?q=1");
  expect(seen).toEqual(["POST /a%2Fb?q=1 example.com body"]);
});

test("each request of a kept connection is judged, also when they are sent at once", async () => {
  const { seen, port: upstreamPort } = await echoHttp();
  const { port, dialed } = await doorScene({ upstreamPort });
  const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const client = await openClient(port);
  client.socket.write(get("http://example.com/1") + get("http://example.com:8080/2") + get("http://other.example/3"));
  const got = await client.until("CMD\n");
  expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 403"]);
  expect(seen).toEqual(["GET /1 example.com ", "GET /2 example.com:8080 "]);
  expect(dialed).toEqual(["93.184.216.34:80", "93.184.216.34:8080"]);
});

test("a connection that is kept for many requests gathers no listeners", async () => {
  const { port: upstreamPort } = await echoHttp();
  const { server, port } = await doorScene({ upstreamPort });
  const clients: Socket[] = [];
  server.on("connection", (client: Socket) => clients.push(client));
  const client = await openClient(port);
  const counts: number[] = [];
  for (let round = 0; round < 8; round++) {
    client.socket.write(`GET http://example.com/${round}. HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.until(`saw /${round}.`);
    const [served] = clients;
    counts.push(served?.eventNames().reduce((sum, name) => sum + served.listenerCount(name), 0) ?? 0);
  }
  expect(clients.length).toBe(1);
  expect(counts.at(-1)).toBe(counts[3]);
});

test("a redirect is the client's to follow, and is judged like any request", async () => {
  const { port: upstreamPort } = await echoHttp();
  const { port } = await doorScene({ upstreamPort });
  const client = await openClient(port);
  client.socket.write("GET http://example.com/moved HTTP/1.1\r\nHost: example.com\r\n\r\n");
  expect(await client.until("Location: http://other.example/x")).toContain("302 Found");
  client.socket.write("GET http://other.example/x HTTP/1.1\r\nHost: other.example\r\n\r\n");
  expect(await client.until("CMD\n")).toContain("other.example:80 is not in network.allow");
});

const five = (...bytes: readonly number[]) => Buffer.from([5, ...bytes]);
const socksName = (name: string, port: number) =>
  Buffer.concat([five(1, 0, 3, name.length), Buffer.from(name), Buffer.from([port >> 8, port & 255])]);
const user = (name: string) => Buffer.concat([Buffer.from([1, name.length]), Buffer.from(name), Buffer.from([0])]);

test("SOCKS5 works with and without a user, and says no with code 2", async () => {
  const { port: upstreamPort } = await echoTcp();
  const { port, records, refusals } = await doorScene({ upstreamPort });
  const asked = async (...parts: readonly Buffer[]) =>
    Buffer.from(await exchange(port, Buffer.concat(parts)), "latin1");
  const reply = (code: number) => five(code, 0, 1, 0, 0, 0, 0, 0, 0);

  expect(await asked(five(1, 0), socksName("example.com", 443), Buffer.from("hi"))).toEqual(
    Buffer.concat([five(0), reply(0), Buffer.from("hi")]),
  );
  expect(await asked(five(2, 0, 2), user("c2"), socksName("other.example", 443))).toEqual(
    Buffer.concat([five(2), Buffer.from([1, 0]), reply(2)]),
  );
  expect(await asked(five(1, 0), five(1, 0, 1, 169, 254, 169, 254, 0, 80))).toEqual(Buffer.concat([five(0), reply(2)]));
  const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1];
  expect(await asked(five(1, 0), five(1, 0, 4, ...mapped, 0, 80))).toEqual(Buffer.concat([five(0), reply(2)]));
  expect(await asked(five(1, 0), five(2, 0, 1, 1, 1, 1, 1, 0, 80))).toEqual(Buffer.concat([five(0), reply(7)]));
  expect(await asked(five(1, 0), five(1, 0, 9))).toEqual(Buffer.concat([five(0), reply(8)]));
  expect(await asked(five(1, 1))).toEqual(five(255));
  expect(refusals).toEqual([{ id: "c2", text: BLOCKED }]);
  expect(records.map(({ host, verdict, command }) => [host, verdict, command])).toEqual([
    ["example.com", "allow", undefined],
    ["other.example", "deny", "command c2"],
    ["169.254.169.254", "deny", undefined],
    ["::ffff:a00:1", "deny", undefined],
  ]);
});

test("a changed policy counts for the next request", async () => {
  let allow = ["example.com"];
  const { port: upstreamPort } = await echoTcp();
  const { port } = await doorScene({ upstreamPort, policy: () => lists({ allow }) });
  const status = async () => (await exchange(port, "CONNECT example.com:443 HTTP/1.1\r\n\r\n")).slice(9, 12);
  const before = await status();
  allow = [];
  expect([before, await status()]).toEqual(["200", "403"]);
});

test("a loan opens one host for the command that got it, and never while the session is tainted", async () => {
  let isTainted = false;
  const { port: upstreamPort } = await echoTcp();
  const { port, refusals } = await doorScene({
    upstreamPort,
    isTainted: () => isTainted,
    isLent: (id, host, to) => id === "c1" && host === "lent.example" && to === 22,
  });
  const status = async (id: string, to: string) =>
    (await exchange(port, `CONNECT ${to} HTTP/1.1\r\n${basic(`${id}:`)}\r\n`)).slice(9, 12);
  expect(await status("c1", "lent.example:22")).toBe("200");
  expect(await status("c2", "lent.example:22")).toBe("403");
  expect(await status("c1", "lent.example:443")).toBe("403");
  expect(await status("c1", "example.com:443")).toBe("200");
  isTainted = true;
  expect(await status("c1", "lent.example:22")).toBe("403");
  expect(await status("c1", "example.com:443")).toBe("200");
  expect(await status("c1", "example.com:80")).toBe("403");
  expect(refusals.at(-1)?.text).toContain("example.com:80 is new");
});

test("a host that cannot be recorded is not reached", async () => {
  const full = () => {
    throw new Error("disk full");
  };
  const { port, dialed } = await doorScene({ onRecord: full });
  expect(await exchange(port, "CONNECT example.com:443 HTTP/1.1\r\n\r\n")).toContain("cannot be recorded (disk full)");
  expect(dialed).toEqual([]);
});

test("host:PORT is a service of this machine, under any name of it, and localhost alone is not", async () => {
  const { port: service } = await echoTcp();
  const { port, dialed } = await doorScene({
    policy: () => lists({ allow: [`host:${service}`, "localhost:*", "127.0.0.1:*"] }),
    connect: undefined,
  });
  const status = async (to: string) => (await exchange(port, `CONNECT ${to} HTTP/1.1\r\n\r\n`)).slice(9, 12);
  for (const name of ["host", "localhost", "127.0.0.1", "a.localhost", "[::1]", "0x7f.1"])
    expect([name, await status(`${name}:${service}`)]).toEqual([name, "200"]);
  expect([await status(`localhost:${port}`), await status(`127.0.0.1:${port}`)]).toEqual(["403", "403"]);
  expect(dialed).toEqual([]);
});

test("closing the door destroys what is open on both sides", async () => {
  const { server: upstream, port: upstreamPort } = await listening(createServer());
  const { door, port } = await doorScene({ upstreamPort });
  const client = await openClient(port);
  client.socket.write("CONNECT example.com:443 HTTP/1.1\r\n\r\n");
  await client.until("established");
  const waiting = connect(port, "127.0.0.1");
  waiting.on("error", () => undefined);
  door[Symbol.dispose]();
  await vi.waitFor(() => expect([client.socket.destroyed, waiting.destroyed]).toEqual([true, true]));
  await vi.waitFor(async () => expect(await new Promise((done) => upstream.getConnections((_, n) => done(n)))).toBe(0));
});
