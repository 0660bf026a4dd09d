import { constants } from "node:os";
import { ENDING_SIGNALS } from "../../lib/process/at-exit.ts";

interface Stop extends Disposable {
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
  /** Interrupts as if that signal had arrived. */
  stop(name: NodeJS.Signals): void;
  /** 128 plus the number of the received signal, as shells report it. */
  code(): number | undefined;
}

/** Turns the first signal into an interruption. A second one exits immediately and kills what is running. */
export function stopOnSignal(): Stop {
  const abort = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let code: number | undefined;
  const stop = (name: NodeJS.Signals) => {
    code ??= 128 + constants.signals[name];
    abort.abort(new Error(`interrupted by ${name}`));
    stopped.resolve();
  };
  let interrupted = false;
  const listening = onSignals(ENDING_SIGNALS, (name) => {
    if (interrupted) process.exit(128 + constants.signals[name]);
    interrupted = true;
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

/** Exits on these signals, so that running commands are killed. Ctrl-C is left to the terminal. */
export function exitOnSignal(): Disposable {
  const [, ...others] = ENDING_SIGNALS;
  return onSignals(others, (name) => process.exit(128 + constants.signals[name]));
}

function onSignals(names: readonly NodeJS.Signals[], onSignal: (name: NodeJS.Signals) => void): Disposable {
  const handlers = names.map((name) => {
    const handler = () => onSignal(name);
    process.on(name, handler);
    return [name, handler] as const;
  });
  return {
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
