import { constants } from "node:os";
import { ENDING_SIGNALS } from "../../lib/ending-signals.ts";

interface Stop extends Disposable {
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
  /** Interrupts as if that signal had come. */
  stop(name: NodeJS.Signals): void;
  /** 128 and the number of the signal that came, as shells count. */
  code(): number | undefined;
}

/** Turns the first signal into an interruption. A second one ends the process at once, and what runs is killed. */
export function stopOnSignal(): Stop {
  const abort = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let code: number | undefined;
  const stop = (name: NodeJS.Signals) => {
    code ??= 128 + constants.signals[name];
    abort.abort(new Error(`interrupted by ${name}`));
    stopped.resolve();
  };
  let heard = false;
  const listening = onSignals(ENDING_SIGNALS, (name) => {
    if (heard) process.exit(128 + constants.signals[name]);
    heard = true;
    stop(name);
  });
  return {
    signal: abort.signal,
    stopped: stopped.promise,
    stop,
    code: () => code,
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}

/** Ends the process at such a signal by its own exit, so that the commands it runs are killed: Ctrl-C is the terminal's. */
export function exitOnSignal(): Disposable {
  const [, ...others] = ENDING_SIGNALS;
  return onSignals(others, (name) => process.exit(128 + constants.signals[name]));
}

function onSignals(names: readonly NodeJS.Signals[], heard: (name: NodeJS.Signals) => void): Disposable {
  const handlers = names.map((name) => {
    const handler = () => heard(name);
    process.on(name, handler);
    return [name, handler] as const;
  });
  return {
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
