import type { UndoRecord } from "../../../contract/session-record.ts";
import { isUserError, type UserError } from "../../../lib/user-error.ts";
import { logPath, sessionsPlace } from "../../../sessions/folder.ts";
import { readLog } from "../../../sessions/read-log.ts";
import { endLine, fileLines } from "./describe-undo.ts";
import { listTurns } from "./list-turns.ts";
import { type PlannedUndo, planRedoTurns, planUndoTurns } from "./plan-turns.ts";

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
    return await carryOut(await planUndoTurns(place, { to: number === undefined ? undefined : Number(number), force }));
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
