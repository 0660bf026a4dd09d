import { createInterface, type Interface } from "node:readline";
import { bracketedPaste } from "./bracketed-paste.ts";

/**
 * Lines that a person types. None is lost: what comes while nobody reads is kept for the next to read. Several lines that
 * are pasted are one, together with what is typed around them.
 */
export interface LineReader extends Disposable {
  /** The next line; undefined when the input has ended. Throws the signal's reason when that aborts first. */
  read(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Drops what was typed ahead: it cannot be meant as the answer to a question that nobody had seen. */
  forget(): void;
  /** True while there is something on the line that is being typed. */
  readonly typing: boolean;
  /** Calls back at every key, before it shows on the screen, until it is disposed of. */
  onKey(callback: () => void): Disposable;
  /** Calls back on Ctrl-C until it is disposed of. */
  onInterrupt(callback: () => void): Disposable;
}

export function lineReader(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): LineReader {
  const lines = createInterface({ input, output });
  const paste = bracketedPaste(input, output);
  const typed: string[] = [];
  let pasted: string[] = [];
  let ended = false;
  let wake = () => {};
  lines.on("line", (line) => {
    if (paste.goesOn) {
      pasted.push(line);
      return;
    }
    // A paste often ends with the end of its last line; the Enter after it adds nothing.
    typed.push(pasted.length > 0 && line === "" ? pasted.join("\n") : [...pasted, line].join("\n"));
    pasted = [];
    wake();
  });
  // It stops reading for good when the process was put to sleep (Ctrl-Z) and comes back.
  lines.on("SIGCONT", () => {
    lines.resume();
    paste.again();
  });
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
    forget() {
      typed.splice(0);
      pasted = [];
    },
    get typing() {
      return lines.line !== "";
    },
    onKey(callback) {
      input.prependListener("keypress", callback);
      return { [Symbol.dispose]: () => void input.off("keypress", callback) };
    },
    onInterrupt: (callback) => onInterrupt(lines, callback),
    [Symbol.dispose]() {
      paste[Symbol.dispose]();
      lines.close();
    },
  };
}

/** In raw mode the terminal hands Ctrl-C to the line editor, otherwise to the process. */
function onInterrupt(lines: Interface, callback: () => void): Disposable {
  lines.on("SIGINT", callback);
  process.on("SIGINT", callback);
  return {
    [Symbol.dispose]() {
      lines.off("SIGINT", callback);
      process.off("SIGINT", callback);
    },
  };
}

/** Only while it is waited for: the line editor draws it again, over what was written since, when the window changes. */
function showPrompt(lines: Interface, prompt: string): Disposable {
  lines.setPrompt(prompt);
  lines.prompt();
  return { [Symbol.dispose]: () => lines.setPrompt("") };
}
