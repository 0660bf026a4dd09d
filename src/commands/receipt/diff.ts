import { styleText } from "node:util";
import { exactJson } from "../../lib/json/exact-json.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { printable } from "../../lib/text/printable.ts";
import { unifiedDiff } from "../../lib/text/unified-diff.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { CommandInput } from "../command-module.ts";
import { countable, foundReceipt, type NamedReceipt } from "./stored.ts";
import { fileLine } from "./story-text.ts";
import { receiptStory, type ReceiptStory } from "./story.ts";

const LONGEST = 100;

/** Prints where two receipts differ in what matters, or with `--all` and `--json` field by field. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const [, left, right] = words;
  if (left === undefined || right === undefined)
    throw new UserError("diff needs two receipts", { fix: "try: signalbox receipt diff RUN RUN" });
  const [one, other] = [foundReceipt(left), foundReceipt(right)];
  const all = flags["all"] === true;
  if (!all && flags["json"] !== true) return printStories(one, other);
  const found = diffReceipts(one.receipt, other.receipt).filter(({ path }) => all || !ALWAYS_DIFFERENT.test(path));
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

/** Times and ids, which no two runs share. */
const ALWAYS_DIFFERENT =
  /^(?:meta\.(?:run_id|work_order_id|started_at|finished_at|duration_ms)|trace\.\d+\.(?:ts|tool_use_id|parent_tool_use_id|ext\.run_id))$/;

function printStories(left: NamedReceipt, right: NamedReceipt): number {
  const found = compareStories(storyOf(left), storyOf(right));
  for (const { part, lines } of found) {
    const shown = lines.map((line) => `  ${paint(line.startsWith("+") ? "green" : "red", printable(line))}`);
    process.stdout.write(`${[part, ...shown].join("\n")}\n`);
  }
  if (found.length === 0) process.stdout.write("no difference that matters; --all compares every field\n");
  return found.length === 0 ? EXIT.ok : EXIT.failed;
}

const storyOf = ({ receipt, predicate }: NamedReceipt): ReceiptStory => receiptStory(countable(receipt), predicate);

const paint = (colour: "green" | "red", text: string) => styleText(colour, text, { stream: process.stdout });

function short(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = exactJson(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

/** A path at which two receipts differ; undefined where one of them has no value. */
interface Difference {
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** Every leaf at which two receipts differ, except their own hashes. Lists are compared by position. */
function diffReceipts(left: unknown, right: unknown): readonly Difference[] {
  return differences(left, right, "").filter(({ path }) => path !== "receipt_sha256");
}

function differences(left: unknown, right: unknown, path: string): readonly Difference[] {
  const [one, other] = [fields(left), fields(right)];
  if (one === undefined || other === undefined || Array.isArray(left) !== Array.isArray(right))
    return exactJson(left ?? null) === exactJson(right ?? null) ? [] : [{ path, left, right }];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(own(one, key), own(other, key), path === "" ? key : `${path}.${key}`));
}

function fields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (Array.isArray(value)) return Object.fromEntries(value.entries());
  return isRecord(value) && !JSON.isRawJSON(value) ? value : undefined;
}

const own = (value: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** Where two stories differ: one part of the story and its lines, removed ones with `-`, added ones with `+`. */
export interface StoryDifference {
  readonly part: string;
  readonly lines: readonly string[];
}

/** Compares what two runs were asked, did and led to. Times, ids and hashes are left out, because they always differ. */
export function compareStories(left: ReceiptStory, right: ReceiptStory): readonly StoryDifference[] {
  const [one, other] = [parts(left), parts(right)];
  return Object.keys(one).flatMap((part) => {
    const lines = changedLines(one[part] ?? "", other[part] ?? "");
    return lines.length === 0 ? [] : { part, lines };
  });
}

function parts(story: ReceiptStory): Readonly<Record<string, string>> {
  const { files = [], checks, denied, calls } = story;
  return {
    task: story.task,
    agent: story.agent,
    outcome: story.outcome,
    checks: checks.map(({ command, end }) => `${end}: ${command}`).join("\n"),
    denied: denied.map(({ call, because }) => `${call}\n  ${because}`).join("\n"),
    calls: calls.map(({ text }) => text).join("\n"),
    files: files.map(fileLine).join("\n"),
    diff: story.diff,
    guarded: story.guarded,
    contained: story.contained,
    network: story.network,
    cost: story.cost,
  };
}

const changedLines = (left: string, right: string) =>
  unifiedDiff(left, right, "")
    .split("\n")
    .slice(2)
    .filter((line) => /^[-+]/.test(line));
