import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { atExit } from "./at-exit.ts";
import { shortLine } from "./short-line.ts";

const STDERR = 2;
const EVERY_MS = 1000;
const FIRST_SECOND = 2;
const ERASE = "\r\u001b[K";

/** A status line on standard error that shows how long something takes. Shown only on a terminal. */
export interface TimerLine extends Disposable {
  /** Counts from now on. */
  start(): void;
  /** Clears the line; it comes back with the next second. */
  hide(): void;
  /** Clears the line while `print` runs. */
  aside<Result>(print: () => Result): Result;
  /** Ends the count and clears the line. */
  stop(): void;
}

/** `free` returns whether the cursor's line may be overwritten. */
export function timerLine(what: string, free: () => boolean = () => true): TimerLine {
  const visible = isatty(STDERR) && process.env["TERM"] !== "dumb";
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  const hide = () => {
    if (shown) put(ERASE);
    shown = false;
  };
  const stop = () => {
    clearInterval(timer);
    hide();
  };
  const exit = atExit(stop);
  return {
    start() {
      stop();
      if (!visible) return;
      const since = performance.now();
      timer = setInterval(() => {
        const seconds = Math.round((performance.now() - since) / 1000);
        if (seconds < FIRST_SECOND || !free()) return;
        put(`${ERASE}${shortLine(`… ${what}, ${seconds} s`, (process.stderr.columns ?? 80) - 1)}`);
        shown = true;
      }, EVERY_MS).unref();
    },
    hide,
    aside(print) {
      hide();
      return print();
    },
    stop,
    [Symbol.dispose]() {
      stop();
      exit[Symbol.dispose]();
    },
  };
}

function put(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // A status line is not worth failing for.
  }
}
