import { statSync } from "node:fs";
import { findReceipt, finishedReceipt, readReceiptFile } from "../../receipts/seal/find-receipt.ts";
import { Receipt } from "../../contract/receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";

/** The word after the `receipt` subcommand. */
export function wantedRun(words: readonly string[], usage: string): string {
  const [, run] = words;
  if (run === undefined || run === "") throw new UserError("which receipt?", { fix: `try: ${usage}` });
  return run;
}

/** Whether a command-line word refers to a file rather than a run. */
export const isFile = (word: string) =>
  word !== "last" && statSync(word, { throwIfNoEntry: false })?.isDirectory() === false;

/** A receipt with its seal, if it came from the store. */
export interface NamedReceipt {
  readonly receipt: unknown;
  readonly predicate?: SealPredicate;
}

/** A receipt by its run or its file. */
export function foundReceipt(word: string): NamedReceipt {
  if (isFile(word)) return { receipt: readReceiptFile(word) };
  const found = findReceipt(signalboxHome(), word);
  return { receipt: finishedReceipt(found), predicate: found.statement.predicate };
}

/** A receipt whose counts we can calculate with. One written by others may have larger ones. */
export function countable(receipt: unknown): Receipt {
  const parsed = Receipt.safeParse(receipt);
  if (parsed.success) return parsed.data;
  throw new UserError("this receipt has numbers that are too large to show or compare in words", {
    fix: "use --json, or for two receipts: signalbox receipt diff --all",
  });
}
