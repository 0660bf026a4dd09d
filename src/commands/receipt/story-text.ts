import { printable } from "../../lib/printable.ts";
import { wrapLines } from "../../lib/wrap-lines.ts";
import { type ChangedFile, fileDetail, lineCounts } from "./changed-files.ts";
import type { ReceiptStory } from "./story.ts";

/** How a story is laid out. Without a width, lines are as long as their text. */
export interface Layout {
  readonly width?: number | undefined;
  readonly paint: (colour: "green" | "red" | "yellow", text: string) => string;
}

const MAX_TEXT_LINES = 6;
const MAX_FILES = 12;
const INDENT = 11;

/** The story of a receipt for a terminal, with the commands that show more. Safe to print. */
export function storyText(story: ReceiptStory, restorable: boolean, layout: Layout): string {
  const rows: readonly Row[] = [
    ["task", firstLines(story.task)],
    ["agent", [story.agent]],
    ["outcome", [story.outcome], story.good ? "green" : "red"],
    ...story.checks.map(({ command, passed, end }): Row => ["check", [`${end}: ${command}`], passed ? "green" : "red"]),
    ...story.denied.map(({ call, because }): Row => ["denied", [...firstLines(call), because], "yellow"]),
    ["denied", more(story.deniedUnseen, "that the agent's record does not show")],
    ["files", fileLines(story.files)],
    ["calls", [callCounts(story)]],
    ["guarded", [story.guarded]],
    ["contained", [story.contained]],
    ["network", [story.network]],
    ["cost", [story.cost]],
    ["time", [story.time]],
    ["run", [story.runId]],
    ["hash", [story.hash]],
    ["verify", [`signalbox receipt verify ${story.name}`]],
    ["diff", story.diff === "" ? [] : [`signalbox receipt show ${story.name} --diff`]],
    ["restore", restorable ? [`signalbox runs restore ${story.name}`] : []],
  ];
  return rows.map((row) => rowText(row, layout)).join("");
}

type Row = readonly [label: string, lines: readonly string[], colour?: "green" | "red" | "yellow"];

function rowText([label, lines, colour]: Row, { width, paint }: Layout): string {
  const text = lines.filter((line) => line !== "");
  const shown = text.flatMap((line) => {
    const safe = printable(line);
    return width === undefined ? safe.split("\n") : wrapLines(safe, Math.max(20, width - INDENT));
  });
  return shown
    .map((line, at) => {
      const painted = colour !== undefined && at === 0 ? paint(colour, line) : line;
      return `${(at === 0 ? label : "").padEnd(INDENT)}${painted}\n`;
    })
    .join("");
}

const more = (count: number, what: string) => (count <= 0 ? [] : [`… ${count} more ${what}`]);

function firstLines(text: string): readonly string[] {
  const lines = text.trim().split("\n");
  return [...lines.slice(0, MAX_TEXT_LINES), ...more(lines.length - MAX_TEXT_LINES, "lines")];
}

/** How many calls there were, by tool. */
function callCounts({ calls }: Pick<ReceiptStory, "calls">): string {
  const tools = Object.entries(Object.groupBy(calls, ({ tool }) => tool));
  const counted = tools.map(([tool, made]) => `${tool} ${made?.length ?? 0}`);
  return calls.length === 0 ? "none" : `${calls.length}: ${counted.join(", ")}`;
}

function fileLines(files: readonly ChangedFile[] | undefined): readonly string[] {
  if (files === undefined) return ["the receipt does not say what changed"];
  if (files.length === 0) return ["none changed"];
  const lines = files.slice(0, MAX_FILES).map(fileLine);
  const whole = `${files.length} changed, ${lineCounts(files)}`.replace(/, $/, "");
  return files.length === 1 ? lines : [whole, ...lines, ...more(files.length - MAX_FILES, "files")];
}

/** `M src/a.ts +3 -1`, not safe to print. */
export const fileLine = (file: ChangedFile) => `${file.letter} ${file.path} ${fileDetail(file)}`.trimEnd();
