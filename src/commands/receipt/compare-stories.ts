import { unifiedDiff } from "../../lib/unified-diff.ts";
import type { ReceiptStory } from "./story.ts";
import { fileLine } from "./story-text.ts";

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
