import { createInterface, type Interface } from "node:readline";

/** Lines that a person types. None is lost: what comes while nobody reads is kept for the next to read. */
export interface LineReader extends Disposable {
  /** The next line; undefined when the input has ended. Throws the signal's reason when that aborts first. */
  read(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Drops what was typed ahead: it cannot be meant as the answer to a question that nobody had seen. */
  forget(): void;
  /** Calls back on Ctrl-C until it is disposed of. */
  onInterrupt(callback: () => void): Disposable;
}

export function lineReader(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): LineReader {
  const lines = createInterface({ input, output });
  const typed: string[] = [];
  let ended = false;
  let wake = () => {};
  lines.on("line", (line) => {
    typed.push(line);
    wake();
  });
  // It stops reading for good when the process was put to sleep (Ctrl-Z) and comes back.
  lines.on("SIGCONT", () => lines.resume());
  lines.on("close", () => {
    ended = true;
    wake();
  });
  return {
    async read(prompt, signal) {
      using _ = ended ? undefined : showPrompt(lines, prompt);
      while (typed.length === 0 && !ended) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      signal.throwIfAborted();
      return typed.shift();
    },
    forget: () => void typed.splice(0),
    onInterrupt(callback) {
      // In raw mode the terminal hands Ctrl-C to the line editor, otherwise to the process.
      lines.on("SIGINT", callback);
      process.on("SIGINT", callback);
      return {
        [Symbol.dispose]() {
          lines.off("SIGINT", callback);
          process.off("SIGINT", callback);
        },
      };
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

/** Only while it is waited for: the line editor draws it again, over what was written since, when the window changes. */
function showPrompt(lines: Interface, prompt: string): Disposable {
  lines.setPrompt(prompt);
  lines.prompt();
  return { [Symbol.dispose]: () => lines.setPrompt("") };
}
