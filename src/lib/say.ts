import { writeSync } from "node:fs";
import { printable } from "./printable.ts";

const STDERR = 2;

/** Says a line to the person, on stderr, at once. Making the stream object instead costs 2 ms of every start. */
export function say(text: string): void {
  try {
    writeSync(STDERR, `signalbox: ${printable(text)}\n`);
  } catch {
    // Nobody reads stderr; what was said is not worth failing for.
  }
}
