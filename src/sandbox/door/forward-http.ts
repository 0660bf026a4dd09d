import { type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readTarget, type Refusal, type Target } from "../../lib/url-target.ts";

/** Where a plain HTTP request to a proxy goes. Only `http://…` in full is understood. */
export function readPlainTarget(url: string): Target | Refusal {
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
export async function forwardHttp(
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
