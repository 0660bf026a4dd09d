import { createInterface, type Interface } from "node:readline";
import { bracketedPaste } from "./bracketed-paste.ts";

/**
 * Lines that the user types. None is lost: lines that arrive while nobody is reading are queued. Several pasted lines
 * count as one, together with the text typed around them.
 */
export interface LineReader extends Disposable {
  /** The next line; undefined at the end of input. Throws the signal's reason if that aborts first. */
  read(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Drops what was typed ahead, because it cannot answer a question that was not visible yet. */
  forget(): void;
  /** True if there is text on the line being typed. */
  readonly typing: boolean;
  /** Calls back on every key, before it is echoed, until disposed. */
  onKey(callback: () => void): Disposable;
  /** Calls back on Ctrl-C until disposed. */
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
    // Pasted text often ends with a line break, so the Enter after it adds nothing.
    typed.push(pasted.length > 0 && line === "" ? pasted.join("\n") : [...pasted, line].join("\n"));
    pasted = [];
    wake();
  });
  // The interface stops reading after the process was suspended (Ctrl-Z) and continued.
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

/** In raw mode, the terminal sends Ctrl-C to the line editor, otherwise to the process. */
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

/** Sets the prompt only while waiting: on a resize, the line editor redraws it over newer output. */
function showPrompt(lines: Interface, prompt: string): Disposable {
  lines.setPrompt(prompt);
  lines.prompt();
  return { [Symbol.dispose]: () => lines.setPrompt("") };
}
