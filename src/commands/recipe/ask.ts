import { createInterface } from "node:readline/promises";
import { printable } from "../../lib/printable.ts";

/** Asks a yes-or-no question on the terminal. Undefined when nobody is there. */
export async function askPerson(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${printable(question)} [y/N] `)).trim());
  } catch {
    // The terminal went away, so nobody said yes.
    return undefined;
  } finally {
    terminal.close();
  }
}
