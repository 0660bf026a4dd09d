import type { Key } from "node:readline";
import { atExit } from "../../lib/at-exit.ts";

const ON = "\u001b[?2004h";
const OFF = "\u001b[?2004l";

/** Makes the terminal mark pasted text, until this is disposed, the process exits, or Ctrl-Z suspends it. */
export interface BracketedPaste extends Disposable {
  /** True during a paste. */
  readonly goesOn: boolean;
  /** Turns the marks on again after a suspend. */
  again(): void;
}

/**
 * `input` must already be read by a line editor, which parses the keys. Does nothing unless both streams are terminals.
 */
export function bracketedPaste(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): BracketedPaste {
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
