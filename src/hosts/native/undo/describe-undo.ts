import { printableLine } from "../../../lib/printable.ts";
import { shortLine } from "../../../lib/short-line.ts";
import type { FileMove, MoveReport } from "../../../snapshots/file-moves.ts";
import type { PlannedUndo } from "./plan-turns.ts";

const MAX_TITLE = 60;

/** The turns of an undo or redo, one a line. */
export const turnLines = ({ turns }: Pick<PlannedUndo, "turns">): readonly string[] =>
  turns.map(({ number, text }) => `  turn ${number}    ${shortLine(text.trim().split("\n")[0] ?? "", MAX_TITLE)}`);

/** What would happen to the files, or has happened, one a line. A line break in a name does not make another line. */
export function fileLines({ moved, kept, failed }: MoveReport, isDone: boolean): readonly string[] {
  return [
    ...moved.map((move) => `  ${(isDone ? DONE : PLANNED)[wordOf(move)].padEnd(9)} ${move.path}`),
    ...kept.map(({ path, because }) => `  kept      ${path}: ${because}`),
    ...failed.map(({ path, because }) => `  failed    ${path}: ${because}`),
  ].map(printableLine);
}

const wordOf = ({ from, to }: FileMove) => (to === null ? "remove" : from === null ? "create" : "change");
const PLANNED = { remove: "remove", create: "restore", change: "restore" } as const;
const DONE = { remove: "removed", create: "restored", change: "restored" } as const;

/** One sentence about the end of an undo or redo. */
export function endLine({ direction, turns }: PlannedUndo, { moved, kept, failed }: MoveReport): string {
  const what = turns.length === 1 ? `turn ${turns[0]?.number ?? ""}` : `${turns.length} turns`;
  if (failed.length > 0)
    return `${count(failed.length)} could not be ${direction === "undo" ? "restored" : "brought back"}, so the conversation stays as it is. When the cause is gone, do it again`;
  const done = `${direction === "undo" ? "undid" : "redid"} ${what}`;
  const files = moved.length + kept.length === 0 ? "; no file had changed" : "";
  return `${done}${files}${kept.length > 0 ? `; ${count(kept.length)} kept` : ""}`;
}

const count = (files: number) => (files === 1 ? "1 file" : `${files} files`);
