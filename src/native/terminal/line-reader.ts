import { createInterface, type Interface, type Key } from "node:readline";
import { atExit } from "../../lib/process/at-exit.ts";
import { printable } from "../../lib/text/printable.ts";

/**
 * Lines that the user types. None is lost: lines that arrive while nobody is reading are queued. Several pasted lines
 * count as one, together with the text typed around them.
 */
export interface LineReader extends Disposable {
  /** The next line; undefined at the end of input. Throws the signal's reason if that aborts first. */
  read(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Drops what was typed ahead, because it cannot answer a question that was not visible yet. Returns how many lines
   * those were.
   */
  forget(): number;
  /** True if there is text on the line being typed. */
  readonly typing: boolean;
  /** Empties the line being typed, and forgets a paste that was not sent yet. */
  clear(): void;
  /**
   * Offers every line that is typed while nobody reads, until disposed. One that is not taken is queued, and then so
   * are all after it, which keeps their order.
   */
  onTyped(take: (line: string) => boolean): Disposable;
  /** Calls back on every key, before it is echoed, until disposed. */
  onKey(callback: () => void): Disposable;
  /** Interrupts what runs, and reads no more. */
  end(): void;
  /** Calls back on Ctrl-C until disposed. */
  onInterrupt(callback: () => void): Disposable;
}

export function lineReader(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): LineReader {
  const lines = createInterface({ input, output });
  const paste = bracketedPaste(input, output);
  const queue = lineQueue();
  let pasted: string[] = [];
  lines.on("line", (line) => {
    if (paste.goesOn) {
      pasted.push(line);
      return;
    }
    // Pasted text often ends with a line break, so the Enter after it adds nothing.
    queue.push(pasted.length > 0 && line === "" ? pasted.join("\n") : [...pasted, line].join("\n"));
    pasted = [];
  });
  // The interface stops reading after the process was suspended (Ctrl-Z) and continued.
  lines.on("SIGCONT", () => {
    lines.resume();
    paste.again();
  });
  lines.on("close", () => queue.end());
  // The terminal is gone.
  lines.on("error", () => queue.end());
  return {
    async read(prompt, signal) {
      const ahead = queue.first();
      // The user typed it long ago, so it is shown again where it is used.
      if (ahead !== undefined) output.write(`${prompt}${printable(ahead)}\n`);
      using _ = queue.ended || ahead !== undefined ? undefined : showPrompt(lines, prompt);
      return await queue.take(signal);
    },
    forget() {
      pasted = [];
      return queue.drop();
    },
    clear() {
      pasted = [];
      lines.write(null, { ctrl: true, name: "e" });
      lines.write(null, { ctrl: true, name: "u" });
    },
    onTyped: (take) => queue.onTyped(take),
    get typing() {
      return lines.line !== "" || pasted.length > 0;
    },
    onKey(callback) {
      input.prependListener("keypress", callback);
      return { [Symbol.dispose]: () => void input.off("keypress", callback) };
    },
    end() {
      lines.emit("SIGINT");
      lines.close();
    },
    onInterrupt: (callback) => onInterrupt(lines, callback),
    [Symbol.dispose]() {
      paste[Symbol.dispose]();
      lines.close();
    },
  };
}

/** The lines that were typed and not read yet. */
function lineQueue() {
  const typed: string[] = [];
  let ended = false;
  let isReading = false;
  let take: ((line: string) => boolean) | undefined;
  let wake = () => {};
  const change = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  return {
    get ended() {
      return ended;
    },
    first: () => typed[0],
    drop: () => typed.splice(0).length,
    push(line: string) {
      if (!isReading && typed.length === 0 && take?.(line) === true) return;
      typed.push(line);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async take(signal: AbortSignal): Promise<string | undefined> {
      isReading = true;
      try {
        while (typed.length === 0 && !ended) {
          signal.throwIfAborted();
          await change(signal);
        }
        signal.throwIfAborted();
        return typed.shift();
      } finally {
        isReading = false;
      }
    },
    onTyped(callback: (line: string) => boolean): Disposable {
      take = callback;
      return { [Symbol.dispose]: () => void (take = undefined) };
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

const ON = "\u001b[?2004h";

const OFF = "\u001b[?2004l";

/** Makes the terminal mark pasted text, until this is disposed, the process exits, or Ctrl-Z suspends it. */
interface BracketedPaste extends Disposable {
  /** True during a paste. */
  readonly goesOn: boolean;
  /** Turns the marks on again after a suspend. */
  again(): void;
}

/**
 * `input` must already be read by a line editor, which parses the keys. Does nothing unless both streams are terminals.
 */
function bracketedPaste(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): BracketedPaste {
  let goesOn = false;
  const marks = isTerminal(input) && isTerminal(output) && process.env["TERM"] !== "dumb";
  const say = (text: string) => void (marks && output.write(text));
  const onKeypress = (_: unknown, { name, ctrl }: Key) => {
    if (name === "paste-start") goesOn = true;
    if (name === "paste-end") goesOn = false;
    if (name === "z" && ctrl === true) say(OFF);
  };
  say(ON);
  const exit = atExit(() => say(OFF));
  // Must run before the line editor, which suspends the process immediately.
  input.prependListener("keypress", onKeypress);
  return {
    get goesOn() {
      return goesOn;
    },
    again: () => say(ON),
    [Symbol.dispose]() {
      exit[Symbol.dispose]();
      input.off("keypress", onKeypress);
      say(OFF);
    },
  };
}

const isTerminal = (stream: object) => "isTTY" in stream && stream.isTTY === true;
