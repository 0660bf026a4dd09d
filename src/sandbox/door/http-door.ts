import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { Socket } from "node:net";
import { readTarget, type Refusal, type Target } from "../../lib/net/host-pattern.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { joinSockets, readDestination, type RequestDeadlines } from "./client-sockets.ts";
import type { DoorLimits } from "./door-records.ts";
import type { OpenRoute } from "./open-route.ts";

interface HttpParts {
  readonly openRoute: OpenRoute;
  readonly deadlines: RequestDeadlines;
  readonly limits: DoorLimits;
}

/** Requests that one client may send before the first of them is answered. apt sends ten. */
const MAX_PIPELINED = 16;

/**
 * An HTTP server that never listens: connections are handed to it. It serves CONNECT, and plain HTTP with the whole URL
 * in the request line. Each request of a connection is judged, one after the other.
 */
export function httpDoor(parts: HttpParts): Server {
  const { deadlines, limits } = parts;
  const server = createServer({ maxHeaderSize: limits.headerBytes, keepAliveTimeout: 0, requestTimeout: 0 });
  // A client that has sent everything may still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const queues = new WeakMap<Socket, { waiting: number; last: Promise<void> }>();
  server.on("request", (request, response) => {
    const client = request.socket;
    deadlines.stop(client);
    const queue = queues.get(client) ?? { waiting: 0, last: Promise.resolve() };
    queues.set(client, queue);
    if (++queue.waiting > MAX_PIPELINED) return void client.destroy();
    queue.last = queue.last.then(async () => {
      await serveRequest({ request, response }, parts);
      if (--queue.waiting === 0) deadlines.start(client);
    });
  });
  server.on("connect", (request, client, head) => {
    if (client instanceof Socket) void serveConnect({ request, client, head }, parts);
    else client.destroy();
  });
  server.on("clientError", (error, client) => {
    client.on("error", () => client.destroy());
    client.end(
      answer("code" in error && error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400, "the request is not valid HTTP"),
    );
    if (client instanceof Socket) client.destroySoon();
  });
  return server;
}

/** Tells a client that there are too many at the moment. */
export const BUSY = answer(503, "the sandbox's proxy has too many open connections; try again later");

const STATUS = { refused: 403, failed: 502 } as const;

async function serveConnect(
  { request, client, head }: { readonly request: IncomingMessage; readonly client: Socket; readonly head: Buffer },
  { openRoute, deadlines, limits }: HttpParts,
): Promise<void> {
  deadlines.stop(client);
  client.on("error", () => client.destroy());
  // At once: a stream whose end was seen takes nothing back.
  if (head.length > 0) client.unshift(head);
  try {
    const route = await openRoute(readDestination(request.url ?? ""), userOf(request), client);
    if (route.kind !== "open") {
      client.end(answer(STATUS[route.kind], route.text));
      return client.destroySoon();
    }
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    joinSockets(client, route.upstream, limits.idleTime);
  } catch {
    client.destroy();
  }
}

async function serveRequest(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { openRoute, limits }: HttpParts,
): Promise<void> {
  const client = request.socket;
  const fail = (text: string, status: number = STATUS.failed) => {
    const { headers, body } = blockedAnswer(text);
    response.writeHead(status, { ...headers, Connection: "close" });
    response.end(body);
  };
  try {
    if (client.destroyed) return;
    const route = await openRoute(readPlainTarget(request.url ?? ""), userOf(request), client);
    if (route.kind !== "open") return fail(route.text, STATUS[route.kind]);
    route.upstream.setTimeout(limits.idleTime, () => route.upstream.destroy());
    await forwardHttp({ request, response }, route.upstream, fail);
  } catch (error) {
    if (response.headersSent) client.destroy();
    else fail(`the request could not be passed on (${messageOf(error)})`);
  }
}

/** The user name of `Proxy-Authorization: Basic`. The password means nothing. */
function userOf({ headers }: IncomingMessage): string | undefined {
  const encoded = /^basic\s+([a-z0-9+/=]+)$/i.exec(headers["proxy-authorization"] ?? "")?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, "base64").toString("latin1").split(":")[0];
}

function blockedAnswer(text: string) {
  const body = `${text}\n`;
  const plain = text.replace(/[^\x20-\x7e]/g, "?");
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Signalbox": plain,
  };
  return { headers, body };
}

function answer(status: number, text: string): string {
  const { headers, body } = blockedAnswer(text);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}

/** Where a plain HTTP request to a proxy goes. Only `http://…` in full is understood. */
function readPlainTarget(url: string): Target | Refusal {
  if (/^http:\/\//i.test(url)) return readTarget(url);
  if (url.startsWith("/")) return { because: "this address is the sandbox's proxy, not a server" };
  return { because: "a proxy request in plain HTTP must name an http:// URL; use CONNECT for anything else" };
}

/** Meant for the next hop only (RFC 9110, 7.6.1), and what identifies the client to us. */
const HOP_HEADERS = new Set(
  "connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

const MAX_HEADER_BYTES = 65_536;

/** Sends a judged request over the connection that was opened for it, and its answer back. Resolves when both are over. */
async function forwardHttp(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  upstream: Socket,
  fail: (text: string) => void,
): Promise<void> {
  const url = request.url ?? "";
  const chunked = request.headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"];
  const outgoing = openRequest({
    createConnection: () => upstream,
    method: request.method,
    path: pathOf(url),
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: ["Host", new URL(url).host, ...passedOn(request, "host"), ...chunked, "Connection", "close"],
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const broken = () => {
    if (response.headersSent) response.destroy();
    else fail("the server's answer was not HTTP, or it closed the connection");
  };
  outgoing.on("error", broken);
  outgoing.on("upgrade", (_incoming, socket) => {
    socket.destroy();
    broken();
  });
  outgoing.on("response", (incoming) => {
    incoming.on("error", () => response.destroy());
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, passedOn(incoming));
    incoming.pipe(response);
  });
  request.on("error", () => outgoing.destroy());
  response.on("error", () => outgoing.destroy());
  response.once("close", () => {
    upstream.destroy();
    resolve();
  });
  request.pipe(outgoing);
  return await promise;
}

/** The raw path and query: what the URL parser would change is the server's to read. */
function pathOf(url: string): string {
  const rest = url.replace(/^http:\/\/[^/?#]*/i, "").replace(/#.*$/s, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Names and values of the headers in turn, without those for one hop. */
function passedOn({ rawHeaders, headers }: IncomingMessage, ...without: readonly string[]): string[] {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_HEADERS, ...named, ...without]);
  // Without its length the body would reach the server as a second request, to whatever host it names.
  dropped.delete("content-length");
  return rawHeaders.filter((_text, index) => !dropped.has((rawHeaders[index - (index % 2)] ?? "").toLowerCase()));
}
