import { type BoardCall, liveCalls } from "../../board/live-calls.ts";
import type { BoardEntry } from "../../contract/board-entry.ts";
import { denialForPerson } from "../../guard/explain.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { findReceipt, finishedReceipt } from "../../receipts/seal/find-receipt.ts";
import { countable } from "../receipt/stored.ts";
import { receiptStory, type ReceiptStory } from "../receipt/story.ts";
import { storyText } from "../receipt/story-text.ts";

/** All that is known about one entry. */
export interface OpenedEntry {
  readonly calls: readonly BoardCall[];
  /** Of one that left a receipt. */
  readonly story: ReceiptStory | undefined;
  /** Why its receipt cannot be shown, if it should have one. */
  readonly problem: string;
}

export function openEntry(home: string, entry: BoardEntry): OpenedEntry {
  if (entry.receipt === null) return { calls: liveCalls(home, entry), story: undefined, problem: "" };
  try {
    const found = findReceipt(home, entry.receipt);
    const story = receiptStory(countable(finishedReceipt(found)), found.statement.predicate);
    const denied = new Map(story.denied.map(({ call, because }) => [call, because]));
    const calls = story.calls.map(({ text }): BoardCall => {
      const because = denied.get(text);
      return { at: 0, text, by: "", verdict: because === undefined ? "" : "deny", because: because ?? "" };
    });
    return { calls, story, problem: "" };
  } catch (error) {
    return { calls: [], story: undefined, problem: messageOf(error) };
  }
}

const MAX_LINE = 1000;

/** The same as lines that are safe to print. */
export function openedLines(home: string, entry: BoardEntry, width: number): readonly string[] {
  const { calls, story, problem } = openEntry(home, entry);
  const { agent, state, source, since, why, folder, id } = entry;
  const text = (line: string) => printableLine(line).slice(0, MAX_LINE);
  const told =
    story === undefined
      ? []
      : storyText(story, entry.restorable, { width, paint: (_, line) => line })
          .trimEnd()
          .split("\n");
  const diff = story === undefined || story.diff === "" ? [] : ["", ...printable(story.diff).trimEnd().split("\n")];
  return [
    text(`${agent}: ${state}, since ${new Date(since).toISOString().slice(0, 19).replace("T", " ")} UTC (${source})`),
    text(why),
    ...(state === "needs you" ? [text(`Answer in its own terminal, in ${folder}.`)] : []),
    ...(problem === "" ? [] : [text(problem)]),
    "",
    ...(story === undefined ? [text(`folder     ${folder}`), text(`id         ${id}`)] : told),
    "",
    `calls      ${calls.length}${story === undefined ? " (the newest)" : ""}`,
    ...(story === undefined ? calls.toReversed() : calls).flatMap((call) => callLines(call).map(text)),
    ...diff,
  ];
}

function callLines({ at, verdict, text, because, by }: BoardCall): readonly string[] {
  const time = at === 0 ? "" : `${new Date(at).toISOString().slice(11, 19)} `;
  const line = `  ${time}${verdict.padEnd(6)}${by === "" ? "" : `[${by}] `}${text}`;
  return because === "" ? [line] : [line, `         ${denialForPerson(because)}`];
}
