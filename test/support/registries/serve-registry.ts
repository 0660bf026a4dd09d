import { createServer } from "node:http";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** What a registry answers: bodies by path. Some bodies name the registry's own address, as the client spelled it. */
export type Registry = (origin: string) => Readonly<Record<string, string | Buffer>>;

interface ServedRegistry {
  readonly port: number;
  /** The paths that clients asked for and got. */
  readonly requests: readonly string[];
}

/** Serves a registry on a loopback port until the test ends. */
export async function serveRegistry(registry: Registry): Promise<ServedRegistry> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry");
    const path = decodeURIComponent(pathname);
    const body = registry(`http://${request.headers.host}`)[path];
    if (body === undefined) return void response.writeHead(404).end();
    requests.push(path);
    const type = /[.](?:whl|crate|tgz|zip)$/.test(path) ? "application/octet-stream" : typeOf(body);
    response.writeHead(200, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the registry has no port");
  return { port: address.port, requests };
}

function typeOf(body: string | Buffer): string {
  const text = body.toString();
  if (text.startsWith("{")) return "application/json";
  return text.startsWith("<") ? "text/html" : "text/plain";
}
