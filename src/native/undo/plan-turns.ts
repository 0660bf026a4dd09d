import { isDeepStrictEqual } from "node:util";
import { firstFew } from "../../lib/text/printable.ts";
import type { HistoryPiece } from "../../contract/history.ts";
import type { Message } from "../../contract/message.ts";
import type { SessionRecord, UndoRecord } from "../../contract/session-record.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { MoveReport } from "../../snapshots/move-files.ts";
import { planRedo, planUndo, turnChanges } from "../../snapshots/plan-undo.ts";
import { sessionSnapshot } from "../../snapshots/saved-session.ts";
import { savedTurns } from "../../snapshots/turn-states.ts";
import { type MovesPlace, prepareMoves, readMoves, revertMoves } from "../../snapshots/undo-files.ts";
import { replay } from "../log/replay.ts";
import { openTurnLog, type SessionTurn, type TurnLog } from "./session-undo.ts";

/** A session whose turns are taken back. Nobody else may have it open. */
export interface UndoneSession {
  readonly home: string;
  readonly id: string;
  /** The records of its log. */
  readonly records: readonly SessionRecord[];
  /** Logs a record and applies it to the conversation. */
  readonly record: (record: UndoRecord) => void;
}

/** What would happen, and a function that does it. */
export interface PlannedUndo {
  readonly direction: "undo" | "redo";
  /** The turns, with their numbers, oldest first. */
  readonly turns: readonly { readonly number: number; readonly text: string }[];
  readonly plan: MoveReport;
  /** Changes the files, and then, unless one of them failed, the conversation. */
  readonly carryOut: () => Promise<MoveReport>;
}

/**
 * `to` is the number of the first turn to take back; the last one if missing. With `force`, files that somebody else has
 * changed are taken back, too.
 */
export async function planUndoTurns(
  place: UndoneSession,
  to: number | undefined,
  force: boolean,
): Promise<PlannedUndo> {
  const log = openTurnLog(place.records);
  const first = firstTurn(log, to, place.id);
  const turns = log.turns.slice(first);
  const saved = savedOf(turns, place);
  const newest = saved.at(-1);
  const workspace = newest?.workspace ?? "";
  if (newest !== undefined) refuseGone(workspace);
  const changes = [];
  for (const each of saved) changes.push(await turnChanges(each));
  const { moves, kept } = await planUndo(workspace, changes, { force });
  const undo = resumedId(log, turns) ?? randomId();
  const undone = { type: "undo", undo, direction: "undo", turns: turns.map(({ id }) => id) } as const;
  const files = newest === undefined ? {} : { files: newest.id };
  const start = turns[0]?.start ?? 0;
  return {
    direction: "undo",
    turns: turns.map(({ text }, index) => ({ number: first + index + 1, text })),
    plan: { moved: moves, kept, failed: [] },
    async carryOut() {
      const at: MovesPlace = { home: place.home, workspace, folder: newest?.id ?? "", undo };
      const prepared = newest === undefined ? undefined : await prepareMoves(moves, at);
      place.record({ ...undone, ...files, step: "begun", note: INTERRUPTED_NOTE });
      const done = (await prepared?.carryOut()) ?? { moved: [], kept: [], failed: [] };
      const report = { ...done, kept: [...kept, ...done.kept] };
      if (report.failed.length > 0) return report;
      const note = undoNote("undo", report);
      const pieces = piecesTo(place.records, replay(place.records.slice(0, start)).history);
      place.record({ ...undone, ...files, step: "done", pieces, note });
      return report;
    },
  };
}

export async function planRedoTurns(place: UndoneSession): Promise<PlannedUndo> {
  const log = openTurnLog(place.records);
  const last = log.undone.at(-1);
  if (last === undefined) throw nothingToRedo(log, place.id);
  const { record, turns, end } = last;
  const at = redoPlace(record, place);
  const { moves, kept } = at === undefined ? { moves: [], kept: [] } : planRedo(at.workspace, at.moves);
  const redone = { ...record, direction: "redo", pieces: undefined } as const;
  return {
    direction: "redo",
    turns: turns.map(({ text }, index) => ({ number: log.turns.length + index + 1, text })),
    plan: { moved: moves, kept, failed: [] },
    async carryOut() {
      place.record({ ...redone, step: "begun", note: INTERRUPTED_NOTE });
      const done = at === undefined ? { moved: [], kept: [], failed: [] } : await revertMoves(moves, at);
      const report = { ...done, kept: [...kept, ...done.kept] };
      if (report.failed.length > 0) return report;
      const note = undoNote("redo", report);
      const pieces = piecesTo(place.records, replay(place.records.slice(0, end)).history);
      place.record({ ...redone, step: "done", pieces, note });
      return report;
    },
  };
}

function firstTurn({ turns }: TurnLog, to: number | undefined, id: string): number {
  if (turns.length === 0)
    throw new UserError("there is no turn to undo", {
      where: id,
      fix: `see what was said: signalbox sessions show ${id}`,
    });
  if (to === undefined) return turns.length - 1;
  if (to >= 1 && to <= turns.length) return to - 1;
  const all = turns.length === 1 ? "the session has 1 turn" : `the session has turns 1 to ${turns.length}`;
  throw new UserError(`there is no turn ${to}: ${all}`, {
    where: "--to",
    fix: `list them with: signalbox sessions undo ${id} --list`,
  });
}

/** The stored states of these turns, oldest first. Without those of all turns that changed files nothing is undone. */
function savedOf(turns: readonly SessionTurn[], { home, id }: UndoneSession) {
  const wanted = turns.filter(({ saved, wrote }) => saved !== undefined || wrote.size > 0);
  if (wanted.length === 0) return [];
  const all = savedTurns(home, id);
  for (const turn of wanted) {
    const because = missing(turn, { session: id, isThere: all.some(({ state }) => state.turn === turn.id) });
    if (because === undefined) continue;
    throw new UserError(`this turn cannot be undone: ${because}`, {
      where: shortText(turn.text),
      fix: `its conversation can: signalbox sessions fork ${id} --records ${turn.asked} copies what was before it`,
      exitCode: EXIT.refused,
    });
  }
  return all.filter(({ state }) => wanted.some((turn) => turn.id === state.turn));
}

function missing(
  { saved }: SessionTurn,
  { session, isThere }: { readonly session: string; readonly isThere: boolean },
): string | undefined {
  if (saved === undefined) return "no snapshot was taken before it";
  if ("because" in saved) return `no snapshot was taken before it (${saved.because})`;
  if (isThere) return undefined;
  const [, owner = saved.id] = /^(\d{8}-\d{6}-[0-9a-f]{8})(?:-\d+)?$/.exec(saved.id) ?? [];
  return owner === session
    ? "its snapshot is gone (snapshots are kept for two weeks)"
    : `it was made in session ${owner}, of which this is a copy`;
}

const MAX_SHOWN = 60;

const shortText = (text: string) => {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
};

function refuseGone(workspace: string): void {
  if (isFolder(workspace)) return;
  throw new UserError("the workspace is gone", { where: workspace, fix: "create the folder to restore files into" });
}

/** The id of an undo that was interrupted: one that began at the same turn, or after which there was no other turn. */
function resumedId({ begun }: TurnLog, turns: readonly SessionTurn[]): string | undefined {
  if (begun?.direction !== "undo") return undefined;
  const isSame = begun.turns[0] === turns[0]?.id || begun.turns.at(-1) === turns.at(-1)?.id;
  return isSame ? begun.undo : undefined;
}

function nothingToRedo({ isPastRedo }: TurnLog, id: string): UserError {
  return new UserError(
    isPastRedo ? "nothing can be redone: there was new work since the undo" : "there is nothing to redo",
    {
      where: id,
      fix: isPastRedo ? stillThere(id) : `to undo the last turn: signalbox sessions undo ${id}`,
      exitCode: EXIT.refused,
    },
  );
}

const stillThere = (id: string) => `what was said is still there: signalbox sessions dropped ${id}`;

/** Undefined if the undo changed no files. */
function redoPlace({ files, undo }: UndoRecord, { home, id }: UndoneSession) {
  if (files === undefined) return undefined;
  const workspace = sessionSnapshot(home, files)?.manifest.workspace ?? "";
  const at = { home, workspace, folder: files, undo };
  const moves = workspace === "" ? undefined : readMoves(at);
  if (moves === undefined)
    throw new UserError("the files of this undo are gone (snapshots are kept for two weeks)", {
      where: id,
      fix: stillThere(id),
      exitCode: EXIT.refused,
    });
  refuseGone(workspace);
  return { ...at, moves };
}

/** The pieces that turn the conversation of these records into another one. */
function piecesTo(records: readonly SessionRecord[], wanted: readonly Message[]): HistoryPiece[] {
  const present = replay(records).history;
  const differs = wanted.findIndex((message, index) => !isDeepStrictEqual(message, present[index]));
  const same = differs === -1 ? wanted.length : differs;
  const kept: HistoryPiece[] = same === 0 ? [] : [{ keep: [0, same] }];
  return [...kept, ...wanted.slice(same).map((add) => ({ add }))];
}

const MAX_NAMED = 20;

/** What the model is told with the next prompt, so that it does not take its old edits for granted. */
function undoNote(direction: PlannedUndo["direction"], { moved, kept }: MoveReport): string {
  const files = list(moved.map(({ path }) => path));
  const first =
    direction === "undo"
      ? `The user has taken back what you did after this point. ${files === "" ? "No file was changed by that." : `These files are again as they were before it: ${files}.`}`
      : `The user has taken back an undo. ${files === "" ? "No file was changed by that." : `These files are again as you left them: ${files}.`}`;
  const named = list(kept.map(({ path }) => path));
  const rest = named === "" ? "" : ` These have changes of the user and were left as they are: ${named}.`;
  return `${first}${rest} Read a file again before you rely on what is in it.`;
}

const INTERRUPTED_NOTE =
  "The user began to take back files that you had changed, and that was interrupted. Some of them may be as they were before. Read a file again before you rely on what is in it.";

const list = (paths: readonly string[]): string =>
  firstFew(
    paths.map((path) => JSON.stringify(path)),
    MAX_NAMED,
  ).join(", ");
