import { diffReceipts } from "../../backplane/receipts/diff-receipts.ts";
import { exactJson } from "../../lib/exact-json.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { receiptOf } from "./argument.ts";
import type { CommandInput } from "../command-module.ts";

const LONGEST = 100;

/** Prints where two receipts differ. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const [, left, right] = words;
  if (left === undefined || right === undefined)
    throw new UserError("diff compares two receipts", { fix: "write: signalbox receipt diff RUN RUN" });
  const found = diffReceipts(receiptOf(left), receiptOf(right));
  for (const difference of found) {
    const { path } = difference;
    const line =
      flags["json"] === true
        ? exactJson(difference)
        : printable(`${path}: ${short(difference.left)} → ${short(difference.right)}`);
    process.stdout.write(`${line}\n`);
  }
  return found.length === 0 ? EXIT.ok : EXIT.failed;
}

function short(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = exactJson(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}
