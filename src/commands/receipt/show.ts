import { hash } from "node:crypto";
import { join } from "node:path";
import { styleText } from "node:util";
import { findReceipt, finishedReceipt } from "../../receipts/seal/find-receipt.ts";
import { verifyFile } from "../../receipts/seal/verify-receipts.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { exactJson } from "../../lib/json/exact-json.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { sessionSnapshot } from "../../snapshots/saved-session.ts";
import type { CommandInput } from "../command-module.ts";
import { type Flags, textFlag } from "../flags.ts";
import { countable, isFile, type NamedReceipt, wantedRun } from "./stored.ts";
import { storyMarkdown, storyText } from "./story-text.ts";
import { receiptStory, type ReceiptStory } from "./story.ts";

/** Prints what a run did: as text, as Markdown, only its diff, or the receipt itself as JSON. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const word = wantedRun(words, "signalbox receipt show last");
  const { receipt, predicate, findings, file } = isFile(word) ? inFile(word, flags) : inStore(word);
  if (flags["json"] === true) process.stdout.write(`${exactJson(receipt)}\n`);
  else process.stdout.write(shown(receiptStory(countable(receipt), predicate), flags, predicate, file));
  for (const finding of findings) say(`not verified: ${finding}`);
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

interface ShownReceipt extends NamedReceipt {
  readonly findings: readonly string[];
  readonly file?: string;
}

function inStore(run: string): ShownReceipt {
  const found = findReceipt(signalboxHome(), run);
  return { receipt: finishedReceipt(found), predicate: found.statement.predicate, findings: [] };
}

/** A file may come from anywhere, so what its seal says counts only if the seal is good. */
function inFile(file: string, flags: Flags): ShownReceipt {
  const { receipt, statement, findings } = verifyFile(file, signalboxHome(), textFlag(flags, "key"));
  return statement === undefined || findings.length > 0
    ? { receipt, findings, file }
    : { receipt, predicate: statement.predicate, findings, file };
}

function shown(
  told: ReceiptStory,
  flags: Flags,
  predicate: SealPredicate | undefined,
  file: string | undefined,
): string {
  const wantsDiff = flags["diff"] === true;
  const named = file === undefined ? told : { ...told, name: shQuote(file) };
  const story = wantsDiff && predicate !== undefined ? { ...named, diff: wholeDiff(told.diff, predicate) } : named;
  if (flags["md"] === true) return storyMarkdown(story, wantsDiff);
  const noDiff =
    (story.files ?? []).length === 0 ? "no files were changed" : "this receipt has no diff, only the names";
  if (wantsDiff) return story.diff === "" ? `${noDiff}\n` : diffText(story.diff);
  const restorable = file === undefined && sessionSnapshot(signalboxHome(), story.runId) !== undefined;
  const { isTTY, columns } = process.stdout;
  return storyText(story, restorable, { width: isTTY ? columns : undefined, paint });
}

const MAX_DIFF_BYTES = 1024 ** 3;

/** A large diff is in a file, which the seal covers. */
function wholeDiff(diff: string, { artifacts, artifacts_folder: folder }: SealPredicate): string {
  const [, path] = /^the diff is in (.+)\n$/.exec(diff) ?? [];
  if (path === undefined) return diff;
  const file = join(folder ?? "/", path);
  const sealed = artifacts.find((artifact) => artifact.path === path);
  const fix = "details: signalbox receipt verify";
  let content: Buffer;
  try {
    content = readBounded(file, MAX_DIFF_BYTES).bytes;
  } catch (cause) {
    throw new UserError("the diff of this run is too large for its receipt, and its file is gone", {
      where: file,
      fix,
      cause,
    });
  }
  if (sealed?.sha256 !== hash("sha256", content))
    throw new UserError("the file with the diff of this run was changed", { where: file, fix, exitCode: EXIT.failed });
  return content.toString("utf8");
}

const paint = (colour: "green" | "red" | "yellow" | "cyan", text: string) =>
  styleText(colour, text, { stream: process.stdout });

const DIFF_COLOURS = { "+": "green", "-": "red", "@": "cyan" } as const;

function diffText(diff: string): string {
  const lines = printable(diff.replace(/\n$/, "")).split("\n");
  return lines
    .map((line) => {
      const [first] = line;
      return first === "+" || first === "-" || first === "@" ? paint(DIFF_COLOURS[first], line) : line;
    })
    .join("\n")
    .concat("\n");
}
