import type { Socket } from "node:net";

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
