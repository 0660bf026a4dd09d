import type { UndoRecord } from "../../contract/session-record.ts";
import { firstFew, printableLine, shortLine } from "../../lib/text/printable.ts";
import { isUserError, type UserError } from "../../lib/text/user-error.ts";
import type { FileMove, MoveReport } from "../../snapshots/move-files.ts";
import { turnChanges } from "../../snapshots/plan-undo.ts";
import { savedTurns } from "../../snapshots/turn-states.ts";
import { logPath, sessionsPlace } from "../log/log-folder.ts";
import { readLog } from "../log/read-log.ts";
import { type PlannedUndo, planRedoTurns, planUndoTurns, type UndoneSession } from "./plan-turns.ts";
import { openTurnLog } from "./session-undo.ts";

/** An open session whose turns can be taken back by a command. */
export interface OpenUndo {
  readonly home: string;
  readonly id: string;
  readonly settled: () => Promise<void>;
  /** Logs the record and changes the conversation. */
  readonly record: (record: UndoRecord) => void;
}

const UNDO_USAGE = "/undo takes the last turn back, /undo 2 everything from turn 2 on, /undo list shows the turns";

/** Carries out `/undo` or `/redo` in an open session. Returns what to show. */
export async function takeBack(open: OpenUndo, text: string): Promise<string> {
  await open.settled();
  const [command = "", ...words] = text.trim().split(/\s+/);
  const { home, id, record } = open;
  const place = { home, id, record, records: recordsOf(open) };
  try {
    if (command === "/redo") return await carryOut(await planRedoTurns(place));
    if (words[0] === "list" && words.length === 1) return await listTurns(place);
    const force = words.includes("force");
    const [number, ...more] = words.filter((word) => word !== "force");
    if (more.length > 0 || (number !== undefined && !/^[1-9]\d{0,8}$/.test(number))) return `${UNDO_USAGE}\n`;
    return await carryOut(await planUndoTurns(place, number === undefined ? undefined : Number(number), force));
  } catch (error) {
    if (!isUserError(error)) throw error;
    return `${error.message}${hintFor(error)}\n`;
  }
}

/** In a session the commands of the shell are no help, except for one that makes a copy. */
function hintFor({ where, fix }: UserError): string {
  if (where === "--to") return "; /undo list shows them";
  return fix.includes("sessions fork") ? `; ${fix}` : "";
}

const recordsOf = ({ home, id }: OpenUndo) =>
  readLog(logPath(sessionsPlace(home), id)).records.map(({ record }) => record);

async function carryOut(planned: PlannedUndo): Promise<string> {
  const report = await planned.carryOut();
  const hints =
    planned.direction === "undo" && report.failed.length === 0
      ? [hint(report.kept.some(({ isFinal }) => isFinal !== true))]
      : [];
  return [...fileLines(report, true), endLine(planned, report), ...hints].map((line) => `${line}\n`).join("");
}

const hint = (canForce: boolean) =>
  !canForce ? "to redo it: /redo" : "to redo it: /redo; after that, /undo force also undoes what was kept";

/** One turn of a session that could be taken back. */
export interface ListedTurn {
  readonly number: number;
  readonly prompt: string;
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  /** Why its files cannot be taken back. */
  readonly because?: string;
}

type Listing = Omit<UndoneSession, "record">;

/** The turns of a session, oldest first, with the files that each has changed. */
export async function readTurns({ home, id, records }: Listing): Promise<readonly ListedTurn[]> {
  const saved = savedTurns(home, id);
  const listed: ListedTurn[] = [];
  for (const [index, { id: turn, text, saved: state, wrote }] of openTurnLog(records).turns.entries()) {
    const found = saved.filter((each) => each.state.turn === turn);
    const files = new Map<string, "added" | "changed" | "deleted">();
    for (const each of found)
      for (const [path, { before, after }] of (await turnChanges(each)).files)
        files.set(path, before === null ? "added" : after === null ? "deleted" : "changed");
    const isMissing = found.length === 0 && (state !== undefined || wrote.size > 0);
    const because = state !== undefined && "because" in state ? state.because : "its snapshot is gone";
    listed.push({
      number: index + 1,
      prompt: text,
      files: [...files].map(([path, change]) => ({ path, change })),
      ...(isMissing ? { because } : {}),
    });
  }
  return listed;
}

const MAX_FILES = 8;

/** The same as text. */
export async function listTurns(place: Listing): Promise<string> {
  const turns = await readTurns(place);
  if (turns.length === 0) return "there is no turn to undo\n";
  return turns
    .flatMap(turnText)
    .map((line) => `${printableLine(line)}\n`)
    .join("");
}

function turnText({ number, prompt, files, because }: ListedTurn): readonly string[] {
  const shown = files.map(({ path, change }) => `     ${change.padEnd(8)} ${path}`);
  return [
    `${String(number).padStart(3)}  ${shortLine(prompt.trim().split("\n")[0] ?? "", 70)}`,
    ...firstFew(shown, MAX_FILES, (more) => `     and ${more} more`),
    ...(because === undefined ? [] : [`     cannot be undone: ${because}`]),
  ];
}

const MAX_TITLE = 60;

/** The turns of an undo or redo, one a line. */
export const turnLines = ({ turns }: PlannedUndo): readonly string[] =>
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
