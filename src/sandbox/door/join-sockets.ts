import type { Socket } from "node:net";

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
