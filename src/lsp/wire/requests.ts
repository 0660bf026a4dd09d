import { shortLine } from "../../lib/short-line.ts";

export interface RequestLimit {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** An error that the server answered with. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(`the server answered: ${shortLine(message.slice(0, 2000), 300)}`);
    this.code = code;
  }
}

/** The requests that wait for an answer. Each ends with one, with its time, with an interruption, or with all others. */
export function openRequests(send: (message: object) => void) {
  const waiting = new Map<number, (outcome: unknown) => void>();
  let lastId = 0;
  return {
    ask: (method: string, params: object, { signal, timeoutMs }: RequestLimit): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const stop = (why: string) => {
          send({ method: "$/cancelRequest", params: { id } });
          waiting.get(id)?.(new Error(why));
        };
        const timer = setTimeout(() => stop(`it did not answer within ${timeoutMs / 1000} s`), timeoutMs);
        const interrupt = () => stop("interrupted");
        waiting.set(id, (outcome) => {
          waiting.delete(id);
          clearTimeout(timer);
          signal.removeEventListener("abort", interrupt);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        });
        send({ id, method, params });
        signal.addEventListener("abort", interrupt, { once: true });
        if (signal.aborted) interrupt();
      }),
    /** An answer to a request that nobody waits for any more is dropped. */
    settle(id: unknown, outcome: unknown) {
      if (typeof id === "number") waiting.get(id)?.(outcome);
    },
    failAll(why: string) {
      for (const settle of waiting.values()) settle(new Error(why));
    },
  };
}
