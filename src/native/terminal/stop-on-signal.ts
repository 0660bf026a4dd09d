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

interface Leaving extends Disposable {
  /** Says how the conversation that is open now can be left, until disposed. */
  by(leave: () => void): Disposable;
  /** 128 plus the number of the received signal. */
  code(): number | undefined;
}

const LEAVE_MS = 10_000;

/**
 * Has a conversation end in order when it is told to, or its terminal is gone. Exits at the second signal, or if that
 * takes too long, which kills what is running. Ctrl-C is left to the terminal.
 */
export function leaveOnSignal(): Leaving {
  let leave: (() => void) | undefined;
  let code: number | undefined;
  let isTold = false;
  const end = (name: NodeJS.Signals) => {
    if (code !== undefined) return;
    const status = 128 + constants.signals[name];
    code = status;
    setTimeout(() => process.exit(status), LEAVE_MS).unref();
    leave?.();
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (leave === undefined || isTold) process.exit(128 + constants.signals[name]);
    isTold = true;
    end(name);
  };
  const [, ...others] = ENDING_SIGNALS;
  const listening = onSignals(others, onSignal);
  // A terminal that is gone may fail before its signal is here.
  const onGone = () => end("SIGHUP");
  const streams = [process.stdin, process.stdout, process.stderr];
  for (const stream of streams) stream.on("error", onGone);
  return {
    by(how) {
      leave = how;
      return { [Symbol.dispose]: () => void (leave = undefined) };
    },
    code: () => code,
    [Symbol.dispose]() {
      listening[Symbol.dispose]();
      for (const stream of streams) stream.off("error", onGone);
    },
  };
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
