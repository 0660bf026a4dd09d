import { createInterface } from "node:readline/promises";
import { printable } from "../../lib/printable.ts";
import type { CallingSession } from "./session.ts";

/** Asks a yes-or-no question on the terminal. Undefined when nobody is there; a session's terminal is the model's. */
export async function askPerson(question: string, session: CallingSession | undefined): Promise<boolean | undefined> {
  if (session !== undefined || !process.stdin.isTTY || !process.stderr.isTTY) return undefined;
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
