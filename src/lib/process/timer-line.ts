import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { atExit } from "./at-exit.ts";
import { shortLine } from "../text/printable.ts";

const STDERR = 2;
const EVERY_MS = 1000;
const FIRST_SECOND = 2;
/** Characters before this one take one column: Hangul is the first script with wide ones. */
const FIRST_WIDE = 0x1100;
const ERASE = "\r\u001b[K";

/** A status line on standard error that shows how long something takes, or where it is. Shown only on a terminal. */
export interface TimerLine extends Disposable {
  /** Counts from now on. */
  start(): void;
  /** Shows a text at once, instead of the count, until the next `start` or `stop`. */
  show(text: string): void;
  /** Clears the line; it comes back with the next second. */
  hide(): void;
  /** Clears the line while `print` runs. */
  aside<Result>(print: () => Result): Result;
  /** Ends the count and clears the line. */
  stop(): void;
}

/**
 * The one way to show that something takes longer: after two seconds, what it is, how long it has taken, and how to stop
 * it. `what` may change meanwhile. `free` returns whether the cursor's line may be overwritten.
 */
export function timerLine(what: string | (() => string), free: () => boolean = () => true): TimerLine {
  const visible = isatty(STDERR) && process.env["TERM"] !== "dumb";
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  let line: () => string | undefined = () => undefined;
  const hide = () => {
    if (shown) put(ERASE);
    shown = false;
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    hide();
  };
  const draw = () => {
    const text = line();
    if (text === undefined || !free()) return;
    put(`${ERASE}${fitting(text, (process.stderr.columns ?? 80) - 1)}`);
    shown = true;
  };
  const every = (text: typeof line) => {
    line = text;
    if (visible) timer ??= setInterval(draw, EVERY_MS).unref();
  };
  const exit = atExit(stop);
  return {
    start() {
      stop();
      const since = performance.now();
      every(() => {
        const seconds = Math.round((performance.now() - since) / 1000);
        const now = typeof what === "string" ? what : what();
        return seconds < FIRST_SECOND ? undefined : `… ${now}, ${seconds} s (Ctrl-C stops)`;
      });
    },
    show(text) {
      every(() => `… ${text}`);
      if (visible) draw();
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

/** Text that certainly fits in a row, because only one row is erased. Some characters take two columns. */
function fitting(text: string, columns: number): string {
  const line = shortLine(text, columns);
  let used = 0;
  let end = 0;
  for (const character of line) {
    used += (character.codePointAt(0) ?? 0) < FIRST_WIDE ? 1 : 2;
    if (used > columns) return line.slice(0, end);
    end += character.length;
  }
  return line;
}

function put(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // A status line is not worth failing for.
  }
}
