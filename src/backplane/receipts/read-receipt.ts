import { ExactReceipt } from "../../contract/receipt.ts";
import { describeIssue } from "../../lib/describe-issue.ts";
import { duplicateKey } from "../../lib/duplicate-key.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { messageOf } from "../../lib/message-of.ts";
import { printable } from "../../lib/printable.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";

/** A receipt, and the file of one, is never larger than this. */
export const MAX_RECEIPT_BYTES = 256 * 1024 * 1024;

/** The JSON in a file, numbers as they were written. Bytes that are no UTF-8, no JSON, or ambiguous are the person's to mend. */
export function readJsonFile(path: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readBounded(path, MAX_RECEIPT_BYTES).bytes;
  } catch (cause) {
    const why = messageOf(cause);
    throw new UserError(`this file cannot be read: ${why}`, { where: path, fix: "give the file of a receipt", cause });
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value = parseExactJson(text);
    const key = duplicateKey(text);
    if (key === undefined) return value;
    throw new SyntaxError(`the key ${JSON.stringify(key)} stands twice in one object`);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "its bytes are no UTF-8";
    throw new UserError(`this file holds no JSON that can be read: ${why}`, {
      where: path,
      fix: "give the file of a receipt",
    });
  }
}

/** Reads `value` as a receipt, or says every place where it is none. */
export function readReceipt(value: unknown, where: string): ExactReceipt {
  const receipt = ExactReceipt.safeParse(value);
  if (receipt.success) return receipt.data;
  const problems = receipt.error.issues.slice(0, MAX_PROBLEMS).map((issue) => printable(describeIssue(issue)));
  const more = receipt.error.issues.length - problems.length;
  throw new UserError(`this is no receipt: ${problems.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, {
    where,
    fix: "compare it with: signalbox schema receipt",
  });
}

const MAX_PROBLEMS = 8;
