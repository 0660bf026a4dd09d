import { createInterface } from "node:readline/promises";

/** Asks a question on the terminal. Only a clear yes counts; without a terminal nobody is asked. */
export async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await ask.question(question)).trim());
  } catch {
    // The terminal went away, so nobody said yes.
    return false;
  } finally {
    ask.close();
  }
}
