import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { sendHttp, SmallHeaders } from "./send-http.ts";

const OPEN: Server[] = [];
afterEach(() => {
  for (const server of OPEN.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  OPEN.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}/`;
}

const sending = (body: string | null = "{}", signal = AbortSignal.timeout(10_000)) => ({
  method: "POST",
  headers: new SmallHeaders({ "X-Key": "k" }),
  body,
  signal,
});

const textOf = async (body: AsyncIterable<Uint8Array> | null) =>
  Buffer.concat(await Array.fromAsync(body ?? [])).toString();

test("a request arrives as it was given, and the answer comes back with its head", async () => {
  const url = await serving((request, response) => {
    response.writeHead(201, "Made", { "X-Seen": [request.method, request.headers["x-key"]].join(" ") });
    request.pipe(response);
  });
  const { status, statusText, headers, body } = await sendHttp(url, sending("süß 🙂"));
  expect([status, statusText, headers.get("x-seen"), await textOf(body)]).toEqual([201, "Made", "POST k", "süß 🙂"]);
});

test("a redirect is an answer like any other", async () => {
  const url = await serving((_, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end());
  const { status, headers } = await sendHttp(url, sending());
  expect([status, headers.get("location")]).toEqual([302, "http://127.0.0.1:9/"]);
});

test("an answer that is packed although nobody asked for it is unpacked", async () => {
  const url = await serving((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync("data: {}\n\n"));
  });
  expect(await textOf((await sendHttp(url, sending())).body)).toBe("data: {}\n\n");
});

test("a kept connection that ends under the next request does not fail it", async () => {
  let requests = 0;
  const url = await serving((request, response) => {
    // The second request uses the kept connection, which is cut; the third is a retry of it.
    if (++requests === 2) request.socket.destroy();
    else request.resume().on("end", () => response.end("ok"));
  });
  expect(await textOf((await sendHttp(url, sending())).body)).toBe("ok");
  expect(await textOf((await sendHttp(url, sending())).body)).toBe("ok");
  expect(requests).toBe(3);
});

test("a new connection that breaks is not tried again here", async () => {
  let requests = 0;
  const url = await serving((request) => {
    requests++;
    request.socket.destroy();
  });
  await expect(sendHttp(url, sending())).rejects.toThrow("fetch failed");
  expect(requests).toBe(1);
});

test("an abort ends the wait with its own reason, and ends an answer that has begun", async () => {
  const silent = await serving(() => {});
  const waiting = sendHttp(silent, sending("{}", AbortSignal.timeout(50)));
  await expect(waiting).rejects.toMatchObject({ name: "TimeoutError" });

  const stalled = await serving((_, response) => response.write("data: "));
  const stop = new AbortController();
  const { body } = await sendHttp(stalled, sending("{}", stop.signal));
  const reading = textOf(body);
  stop.abort();
  await expect(reading).rejects.toThrow();
});

test("a body that is cut is an error, never a short answer", async () => {
  const url = await serving((_, response) => {
    response.write("data: {");
    setTimeout(() => response.destroy(), 20);
  });
  const { body } = await sendHttp(url, sending());
  await expect(textOf(body)).rejects.toThrow();
});

test("a header that is none is refused before anything is sent", async () => {
  const url = await serving((_, response) => response.end());
  const headers = new SmallHeaders({ "x-key": "a\r\nx-more: b" });
  await expect(sendHttp(url, { ...sending(), headers })).rejects.toThrow("Invalid character in header content");
});
