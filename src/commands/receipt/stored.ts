import { statSync } from "node:fs";
import { Receipt } from "../../contract/receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import {
  exportReceipt,
  findReceipt,
  finishedReceipt,
  latestReceipts,
  prunedReceipts,
  readReceiptFile,
  receiptFileHash,
} from "../../receipts/seal/find-receipt.ts";
import type { CommandInput } from "../command-module.ts";
import { countFlag, printLine, textFlag } from "../flags.ts";

/** Prints the newest receipts, oldest first. */
export async function list({ flags }: CommandInput): Promise<number> {
  const limit = countFlag(flags, "limit", 1_000_000) ?? 50;
  const receipts = latestReceipts(signalboxHome(), Math.max(limit, 1));
  const prunedAt = prunedReceipts(signalboxHome());
  for (const { statement } of limit === 0 ? [] : receipts) {
    const pruned = prunedAt(statement);
    if (flags["json"] === true) await printLine({ ...statement.predicate, pruned_at: pruned ?? null });
    else process.stdout.write(`${printable(line(statement.predicate, pruned))}\n`);
  }
  if (receipts.length === 0 && flags["json"] !== true) process.stdout.write("no receipts yet\n");
  return EXIT.ok;
}

function line(predicate: SealPredicate, pruned: string | undefined): string {
  const { run_id: run, finished_at: finished, agent, outcome, stopped, verified } = predicate;
  const end = [
    outcome,
    stopped,
    verified.replace("_", " "),
    ...(pruned === undefined ? [] : [`pruned ${day(pruned)}`]),
  ];
  return `${finished.padEnd(24)}  ${run}  ${agent.name}  ${end.join(", ")}`;
}

const day = (time: string) => time.slice(0, 10);

/** Writes a receipt with its seal and the public key, so that others can verify it. */
export async function exportOne({ words, flags }: CommandInput): Promise<number> {
  const run = wantedRun(words, "signalbox receipt export RUN");
  const text = flags["otlp"] === true ? await otlpText(run) : exportReceipt(signalboxHome(), run);
  const out = textFlag(flags, "out");
  if (out === undefined || out === "-") process.stdout.write(text);
  else write(out, text);
  return EXIT.ok;
}

async function otlpText(run: string): Promise<string> {
  const { otlpRequest } = await import("./otlp.ts");
  const found = findReceipt(signalboxHome(), run);
  return `${JSON.stringify(otlpRequest(countable(finishedReceipt(found)), found.statement.predicate))}\n`;
}

function write(path: string, text: string): void {
  try {
    atomicWrite(path, text, 0o644);
  } catch (cause) {
    throw new UserError(`cannot write the receipt (${errorCode(cause)})`, {
      where: path,
      fix: "choose a file in a folder you can write to",
      cause,
    });
  }
}

/** Prints the canonical hash of a receipt file, and nothing else. */
export async function hash({ words }: CommandInput): Promise<number> {
  const path = wantedRun(words, "signalbox receipt hash FILE");
  process.stdout.write(`${receiptFileHash(path)}\n`);
  return EXIT.ok;
}

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
