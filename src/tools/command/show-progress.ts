import type { OutputWindow } from "./output-window.ts";
import { lastLine, lastLines } from "./show-output.ts";

/** Often enough to look live, and few enough events for a log or an editor. */
const EVERY_MS = 250;

/**
 * Passes the last line of a command's output and the lines before it on whenever it has changed, until disposed. A
 * short command shows nothing.
 */
export function showProgress(
  output: Pick<OutputWindow, "recent">,
  progress: (line: string, recent: string) => void,
): Disposable {
  let seen = output.recent();
  let shown: string | undefined;
  const timer = setInterval(() => {
    const recent = output.recent();
    if (recent === seen) return;
    seen = recent;
    const line = lastLine(recent);
    if (line === undefined || line === shown) return;
    shown = line;
    progress(line, lastLines(recent));
  }, EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
