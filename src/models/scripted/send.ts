import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { WireEvent } from "./wires/wire.ts";

/** Aborts when the client has disconnected or received everything. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends a failure defined by a script: a string body as text, any other as JSON. */
export function sendFailure(response: ServerResponse, failure: StatusFailure): void {
  const { status, body, headers } = failure;
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

interface StatusFailure {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

/**
 * Streams the events, each in one write, `between` milliseconds apart. Throws an AbortError when the client
 * disconnects.
 */
export async function sendEvents(
  response: ServerResponse,
  events: readonly WireEvent[],
  { between, signal }: { between: number; signal: AbortSignal },
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const [index, event] of events.entries()) {
    if (between > 0 && index > 0) await sleep(between, undefined, { signal });
    signal.throwIfAborted();
    await flushed(response, encoded(event));
  }
}

/** Sends half of a body whose full length was announced. */
export async function sendHalf(response: ServerResponse, body: unknown): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  await flushed(response, bytes.subarray(0, bytes.length / 2));
}

/** Settles when the operating system has the chunk, so that nothing done to the socket next can overtake it. */
function flushed(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function encoded({ event, data }: WireEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
