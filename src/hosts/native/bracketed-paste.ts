import type { Key } from "node:readline";
import { atExit } from "../../lib/at-exit.ts";

const ON = "\u001b[?2004h";
const OFF = "\u001b[?2004l";

/** Has a terminal mark what is pasted, until it is disposed of, the process exits or Ctrl-Z puts it to sleep. */
export interface BracketedPaste extends Disposable {
  /** True between the marks. */
  readonly goesOn: boolean;
  /** Asks for the marks again after a sleep. */
  again(): void;
}

/** `input` must be read by a line editor already: that one parses the keys. Nothing is asked of what is no terminal. */
export function bracketedPaste(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): BracketedPaste {
  let goesOn = false;
  const marks = isTerminal(input) && isTerminal(output) && process.env["TERM"] !== "dumb";
  const say = (text: string) => void (marks && output.write(text));
  const heard = (_: unknown, { name, ctrl }: Key) => {
    if (name === "paste-start") goesOn = true;
    if (name === "paste-end") goesOn = false;
    if (name === "z" && ctrl === true) say(OFF);
  };
  say(ON);
  const exit = atExit(() => say(OFF));
  // Before the line editor, which puts the process to sleep at once.
  input.prependListener("keypress", heard);
  return {
    get goesOn() {
      return goesOn;
    },
    again: () => say(ON),
    [Symbol.dispose]() {
      exit[Symbol.dispose]();
      input.off("keypress", heard);
      say(OFF);
    },
  };
}

const isTerminal = (stream: object) => "isTTY" in stream && stream.isTTY === true;
