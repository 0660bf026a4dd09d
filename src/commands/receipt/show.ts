import { hash } from "node:crypto";
import { join } from "node:path";
import { styleText } from "node:util";
import { findReceipt, finishedReceipt } from "../../backplane/receipts/find-receipt.ts";
import { Receipt } from "../../contract/receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { exactJson } from "../../lib/exact-json.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { printable } from "../../lib/printable.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { sessionSnapshot } from "../../snapshots/saved-session.ts";
import type { CommandInput } from "../command-module.ts";
import { wantedRun } from "./argument.ts";
import { storyMarkdown } from "./story-markdown.ts";
import { receiptStory } from "./story.ts";
import { storyText } from "./story-text.ts";

/** Prints what a run did: as text, as Markdown, only its diff, or the receipt itself as JSON. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const found = findReceipt(signalboxHome(), wantedRun(words, "signalbox receipt show last"));
  const finished = finishedReceipt(found);
  if (flags["json"] === true) process.stdout.write(`${exactJson(finished)}\n`);
  else process.stdout.write(shown(Receipt.parse(finished), found.statement.predicate, flags));
  return EXIT.ok;
}

function shown(receipt: Receipt, predicate: SealPredicate, flags: CommandInput["flags"]): string {
  const told = receiptStory(receipt, predicate);
  const wantsDiff = flags["diff"] === true;
  const story = wantsDiff ? { ...told, diff: wholeDiff(told.diff, predicate) } : told;
  if (flags["md"] === true) return storyMarkdown(story, wantsDiff);
  if (wantsDiff) return story.diff === "" ? "no files were changed\n" : diffText(story.diff);
  const restorable = sessionSnapshot(signalboxHome(), story.runId) !== undefined;
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
