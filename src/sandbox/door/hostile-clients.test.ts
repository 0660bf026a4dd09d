import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { closed, doorScene, exchange, listening, openClient } from "../../../test/support/door-scene.ts";
import { joinSockets } from "./client-sockets.ts";

const five = (...bytes: readonly number[]) => Buffer.from([5, ...bytes]);

test.each<[string, string | Buffer, RegExp]>([
  ["noise", Buffer.from([0, 255, 254, 1, 2, 3, 10, 13]), /^HTTP\/1\.1 400 /],
  ["TLS instead of HTTP", Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), /^HTTP\/1\.1 400 /],
  ["SOCKS4", Buffer.from([4, 1, 0, 80, 1, 1, 1, 1, 0]), /^HTTP\/1\.1 400 /],
  ["half a request", "CONNECT example.com:443 HTTP/1.1\r\nHost: exa", /^HTTP\/1\.1 400 /],
  ["half a SOCKS greeting", five(2, 0), /^$/],
  ["half a SOCKS request", Buffer.concat([five(1, 0), five(1, 0, 3, 200, 65)]), /^\u0005\u0000$/],
  ["a SOCKS name of no bytes", Buffer.concat([five(1, 0), five(1, 0, 3, 0, 0, 80)]), /^\u0005\u0000\u0005\u0002/],
  ["another version inside SOCKS", Buffer.concat([five(1, 0), Buffer.from([4, 1, 0, 1])]), /^\u0005\u0000$/],
  ["a header of 100 KB", `GET http://example.com/ HTTP/1.1\r\nX: ${"x".repeat(100_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  [
    "two lengths",
    "POST http://example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
    /^HTTP\/1\.1 400 /,
  ],
  ["a request to the door itself", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", /403 Forbidden[^]*not a server/],
  ["https without CONNECT", "GET https://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", /403 Forbidden[^]*use CONNECT/],
  ["ftp", "GET ftp://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", /403 Forbidden/],
  ["CONNECT without a port", "CONNECT example.com HTTP/1.1\r\n\r\n", /403 Forbidden[^]*no valid port/],
  ["CONNECT to port 0", "CONNECT example.com:0 HTTP/1.1\r\n\r\n", /403 Forbidden[^]*no valid port/],
  ["CONNECT to a URL", "CONNECT http://example.com:443 HTTP/1.1\r\n\r\n", /HTTP\/1\.1 40[03] /],
  ["CONNECT with a user", "CONNECT example.com:443@other.example:443 HTTP/1.1\r\n\r\n", /HTTP\/1\.1 40[03] /],
  ["a line break in a name", Buffer.concat([five(1, 0), five(1, 0, 3, 3), Buffer.from("a\nb\0P")]), /\u0005\u0002/],
])("%s reaches no host", async (_name, bytes, answer) => {
  const { port, dialed } = await doorScene();
  expect(await exchange(port, bytes)).toMatch(answer);
  expect(dialed).toEqual([]);
});

test.each<[string, string | Buffer]>([
  ["says nothing", ""],
  ["stops in its header", "CONNECT example.com:443 HTTP/1.1\r\n"],
  ["stops in SOCKS", five(1)],
])("a client that %s is disconnected when its time is over", async (_name, bytes) => {
  const { port } = await doorScene({ limits: { requestTime: 30 } });
  expect(await exchange(port, bytes, { end: false })).toBe("");
});

test("SOCKS that comes byte by byte is understood", async () => {
  const { port: upstreamPort } = await listening(createServer((socket) => socket.end("hello")));
  const { port } = await doorScene({ upstreamPort });
  const client = await openClient(port);
  client.socket.setNoDelay(true);
  for (const byte of [5, 1, 0, 5, 1, 0, 3, 11, ...Buffer.from("example.com"), 1, 187]) {
    client.socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect(await client.until("hello")).toMatch(/^\u0005\u0000\u0005\u0000\u0000\u0001\0{6}hello$/);
});

test("a client that stays silent after its first answer is disconnected too", async () => {
  const { port: upstreamPort } = await listening(
    createServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
  );
  const { port } = await doorScene({ upstreamPort, limits: { requestTime: 500 } });
  const got = await exchange(port, "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\nGET ht", { end: false });
  expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*ok$/);
});

test("a tunnel on which nothing moves is closed on both sides", async () => {
  const { port } = await listening(createServer());
  const open = async () => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, "connect");
    return socket;
  };
  const [client, upstream] = [await open(), await open()];
  joinSockets(client, upstream, 20);
  await Promise.all([closed(client), closed(upstream)]);
  expect([client.destroyed, upstream.destroyed]).toEqual([true, true]);
});

test("a flood of requests on one connection ends it before they are all open", async () => {
  const { port: upstreamPort } = await listening(createServer());
  const { port, dialed } = await doorScene({ upstreamPort });
  await exchange(port, "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n".repeat(300), { end: false });
  expect(dialed.length).toBeLessThanOrEqual(1);
});

test("120 connections get no more than the limit, the others are turned away, and the door serves on", async () => {
  const { port: upstreamPort } = await listening(createServer((socket) => socket.pipe(socket)));
  const { server, port } = await doorScene({ upstreamPort, limits: { connections: 8 } });
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const ends = Array.from({ length: 120 }, async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await closed(socket);
    return text.slice(0, 12);
  });
  await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => !destroyed).length).toBe(8), 20_000);
  expect(await new Promise((done) => server.getConnections((_, count) => done(count)))).toBe(8);
  for (const socket of sockets) socket.destroy();
  expect(new Set(await Promise.all(ends))).toEqual(new Set(["", "HTTP/1.1 503"]));
  await vi.waitFor(async () => {
    expect(await exchange(port, "CONNECT example.com:443 HTTP/1.1\r\n\r\nhi")).toMatch(/^HTTP\/1\.1 200 [^]*hi$/);
  });
});

test.each(["content-length", "close, Content-Length"])(
  "a body whose length is only for one hop (Connection: %s) does not become a second request",
  async (hop) => {
    let seen = "";
    const { port: upstreamPort } = await listening(
      createServer((socket) =>
        socket.on("data", (chunk: Buffer) => {
          seen += chunk.toString();
          if (seen.includes("evil")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }),
      ),
    );
    const { port } = await doorScene({ upstreamPort });
    const body = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    const head = `GET http://example.com/ HTTP/1.1\r\nHost: x\r\nConnection: ${hop}\r\nContent-Length: ${body.length}`;
    await exchange(port, `${head}\r\n\r\n${body}`);
    expect(seen.split("\r\n\r\n")[0]).toContain(`Content-Length: ${body.length}`);
  },
);

test("a server that resets, refuses or answers rubbish is an answer, not a fault", async () => {
  const { port: rubbish } = await listening(createServer((socket) => socket.end("\0\0rubbish\r\n\r\n")));
  const { port: resets } = await listening(createServer((socket) => socket.resetAndDestroy()));
  const { server, port: closed } = await listening(createServer());
  server.close();
  const got = await Promise.all(
    [rubbish, resets, closed].map(async (upstreamPort) => {
      const { port } = await doorScene({ upstreamPort });
      const plain = await exchange(port, "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      return plain.slice(9, 12);
    }),
  );
  expect(got).toEqual(["502", "502", "502"]);
});

test("a client that leaves while its host is being looked up leaves nothing behind", async () => {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const { server, port, dialed } = await doorScene({ resolve: () => promise });
  const client = await openClient(port);
  client.socket.write("CONNECT example.com:443 HTTP/1.1\r\n\r\n");
  client.socket.resetAndDestroy();
  await vi.waitFor(async () => expect(await new Promise((done) => server.getConnections((_, n) => done(n)))).toBe(0));
  resolve(["93.184.216.34"]);
  await promise;
  expect(dialed).toEqual([]);
});
