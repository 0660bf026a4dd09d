import { existsSync } from "node:fs";
import { findReceipt, finishedReceipt, readReceiptFile } from "../../backplane/receipts/find-receipt.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { UserError } from "../../lib/user-error.ts";

/** The word after the `receipt` subcommand. */
export function wantedRun(words: readonly string[], usage: string): string {
  const [, run] = words;
  if (run === undefined || run === "") throw new UserError("which receipt?", { fix: `try: ${usage}` });
  return run;
}

/** Whether a command-line word refers to a file rather than a run. */
export const isFile = (word: string) => existsSync(word);

/** A receipt by its run or its file. */
export function receiptOf(word: string): unknown {
  return isFile(word) ? readReceiptFile(word) : finishedReceipt(findReceipt(signalboxHome(), word));
}
