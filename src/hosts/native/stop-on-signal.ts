import { constants } from "node:os";

interface Stop extends Disposable {
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
  /** Interrupts as if that signal had come. */
  stop(name: NodeJS.Signals): void;
  /** 128 and the number of the signal that came, as shells count. */
  code(): number | undefined;
}

/** Turns the first signal into an interruption; a second one ends the process as it always does. */
export function stopOnSignal(): Stop {
  const abort = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let code: number | undefined;
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const stop = (name: NodeJS.Signals) => {
    code ??= 128 + constants.signals[name];
    abort.abort(new Error(`interrupted by ${name}`));
    stopped.resolve();
  };
  const handlers = names.map((name) => {
    const handler = () => stop(name);
    process.once(name, handler);
    return [name, handler] as const;
  });
  return {
    signal: abort.signal,
    stopped: stopped.promise,
    stop,
    code: () => code,
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
