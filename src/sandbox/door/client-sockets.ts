import type { Socket } from "node:net";
import { readTarget, type Refusal, type Target } from "../../lib/net/host-pattern.ts";

/**
 * Where a CONNECT or SOCKS request goes, from `host:port` as the client wrote it. It is read like a URL, so that an
 * address in any spelling is judged as the address it means. A request on port 80 counts as http, any other as https.
 */
export function readDestination(authority: string): Target | Refusal {
  const port = /:(\d{1,5})$/.exec(authority)?.[1];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    return { because: "the request names no valid port" };
  if (/[/?#]/.test(authority)) return { because: "the request names no host" };
  return readTarget(`${Number(port) === 80 ? "http" : "https"}://${authority}`);
}

/**
 * Passes bytes both ways until both sides have ended. A side that does not read stops the other one from sending, so
 * that no more than the stream buffers is ever held.
 */
export function joinSockets(client: Socket, upstream: Socket, idleTime: number): void {
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    socket.on("error", end);
    socket.setTimeout(idleTime, end);
    socket.once("close", (hadError: boolean) => (hadError ? other.destroy() : other.destroySoon()));
  }
  if (client.destroyed || upstream.destroyed) return end();
  client.pipe(upstream);
  upstream.pipe(client);
}

/** Ends clients that take too long to say what they want. */
export interface RequestDeadlines {
  readonly start: (client: Socket) => void;
  readonly stop: (client: Socket) => void;
}

export function requestDeadlines(milliseconds: number): RequestDeadlines {
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  const stop = (client: Socket) => clearTimeout(timers.get(client));
  return {
    start(client) {
      if (client.destroyed) return;
      if (timers.has(client)) stop(client);
      else client.once("close", () => stop(client));
      timers.set(
        client,
        setTimeout(() => client.destroy(), milliseconds),
      );
    },
    stop,
  };
}
