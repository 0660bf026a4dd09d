import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { SessionEvent } from "../../engine/event.ts";
import { atExit } from "../../lib/at-exit.ts";
import { shortLine } from "../../lib/short-line.ts";

const STDERR = 2;
const EVERY_MS = 1000;
const FIRST_SECOND = 2;
const ERASE = "\r\u001b[K";

/** A status line on standard error that shows how long we have been waiting for the model. Shown only on a terminal. */
export interface WaitingLine extends Disposable {
  /** Starts and stops the wait according to a session's events. */
  see(event: SessionEvent): void;
  /** Clears the line; it comes back with the next second if the wait goes on. */
  hide(): void;
  /** Clears the line while `print` runs. */
  aside<Result>(print: () => Result): Result;
  /** Ends the wait and clears the line. */
  stop(): void;
}

/** `free` returns whether the cursor's line may be overwritten; what the user types there takes precedence. */
export function waitingLine(model: string, free: () => boolean = () => true): WaitingLine {
  const visible = isatty(STDERR) && process.env["TERM"] !== "dumb";
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  const erase = () => {
    if (shown) put(ERASE);
    shown = false;
  };
  const stop = () => {
    clearInterval(timer);
    erase();
  };
  const start = () => {
    stop();
    if (!visible) return;
    const since = performance.now();
    timer = setInterval(() => {
      const seconds = Math.round((performance.now() - since) / 1000);
      if (seconds < FIRST_SECOND || !free()) return;
      put(`${ERASE}${shortLine(`… asking ${model}, ${seconds} s`, (process.stderr.columns ?? 80) - 1)}`);
      shown = true;
    }, EVERY_MS).unref();
  };
  const exit = atExit(stop);
  return {
    see(event) {
      if (event.type === "turn-start" || (event.type === "request-failed" && event.retryInMs !== null)) start();
      else if (event.type !== "text-delta" && event.type !== "thinking-delta") stop();
    },
    hide: erase,
    aside(print) {
      erase();
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
