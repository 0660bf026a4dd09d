import { endLine, fileLines, listTurns, readTurns, turnLines } from "../../native/undo/take-back.ts";
import { type PlannedUndo, planRedoTurns, planUndoTurns, type UndoneSession } from "../../native/undo/plan-turns.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { printable } from "../../lib/text/printable.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { findSession, logPath, sessionsFolder, sessionsPlace } from "../../native/log/log-folder.ts";
import { readLog } from "../../native/log/read-log.ts";
import { openSession } from "../../native/log/session-log.ts";
import type { FileMove, MoveReport } from "../../snapshots/move-files.ts";
import type { CommandInput } from "../command-module.ts";
import { countFlag, isConfirmed, printJson } from "../flags.ts";

type Direction = PlannedUndo["direction"];

/** `signalbox sessions undo` and `redo`: takes turns back, files and conversation together, or takes that back. */
export async function undoSession(direction: Direction, { words, flags }: CommandInput): Promise<number> {
  const wanted = words[1] ?? "";
  if (wanted === "")
    throw new UserError("which session?", { where: `sessions ${direction}`, fix: "pass its id, part of it, or last" });
  const asJson = flags["json"] === true;
  if (flags["list"] === true) return await list(wanted, asJson);
  const isDry = flags["dryRun"] === true;
  if (!isDry) refuseInside(direction, wanted);
  const folder = sessionsFolder(signalboxHome());
  const id = findSession(folder, wanted, currentFolder());
  // Held until the end, so that nobody works in the session meanwhile.
  using session = openSession(id, { folder, now: Date.now });
  const place: UndoneSession = {
    home: signalboxHome(),
    id,
    records: session.before,
    record: (record) => session.append(record),
  };
  const to = countFlag(flags, "to", 1_000_000_000);
  const planned =
    direction === "undo" ? await planUndoTurns(place, to, flags["force"] === true) : await planRedoTurns(place);
  const isAsked = isDry || flags["yes"] !== true;
  if (!asJson) show([`session ${id}`, ...turnLines(planned), ...(isAsked ? fileLines(planned.plan, false) : [])]);
  if (isDry) return finish(planned, planned.plan, { id, asJson, isDry });
  if (flags["yes"] !== true && (asJson || !(await isConfirmed(question(planned))))) throw unconfirmed(direction, id);
  const report = await planned.carryOut();
  if (!asJson) show(fileLines(report, true));
  return finish(planned, report, { id, asJson, isDry });
}

async function list(wanted: string, asJson: boolean): Promise<number> {
  const home = signalboxHome();
  const id = findSession(sessionsPlace(home), wanted, currentFolder());
  const records = readLog(logPath(sessionsPlace(home), id)).records.map(({ record }) => record);
  const place = { home, id, records };
  if (asJson) printJson({ id, turns: await readTurns(place) });
  else process.stdout.write(await listTurns(place));
  return EXIT.ok;
}

function refuseInside(direction: Direction, wanted: string): void {
  if (!isInsideSession(process.env)) return;
  throw new UserError(`a session cannot ${direction} turns`, {
    where: "this is a command of a session",
    fix: `run it in your own terminal: signalbox sessions ${direction} ${printable(wanted)}`,
    exitCode: EXIT.refused,
  });
}

const question = ({ direction, turns }: PlannedUndo) =>
  `${direction === "undo" ? "Take back" : "Bring back"} ${turns.length === 1 ? "this turn" : `these ${turns.length} turns`}, files and conversation? [y/N] `;

const unconfirmed = (direction: Direction, id: string) =>
  new UserError("nothing was changed", {
    where: id,
    fix: `to do what is listed, run: signalbox sessions ${direction} ${id} --yes`,
    exitCode: EXIT.refused,
  });

const show = (lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(""));

interface Finish {
  readonly id: string;
  readonly asJson: boolean;
  readonly isDry: boolean;
}

function finish(planned: PlannedUndo, report: MoveReport, { id, asJson, isDry }: Finish): number {
  const { direction, turns } = planned;
  const { kept, failed } = report;
  const files = report.moved.map((move) => ({ path: move.path, change: changeOf(move) }));
  if (asJson)
    printJson({
      id,
      direction,
      dry_run: isDry,
      turns,
      files,
      kept: kept.map(({ path, because }) => ({ path, because })),
      failed,
    });
  else if (!isDry) {
    say(endLine(planned, report));
    if (direction === "undo" && failed.length === 0)
      say(
        nextStep(
          id,
          kept.some(({ isFinal }) => isFinal !== true),
        ),
      );
  }
  if (failed.length > 0) return EXIT.failed;
  return kept.length > 0 && !isDry ? EXIT.refused : EXIT.ok;
}

const nextStep = (id: string, canForce: boolean) =>
  !canForce
    ? `to take this back: signalbox sessions redo ${id}`
    : `to take back what was kept, too: signalbox sessions redo ${id}, then sessions undo ${id} --force`;

const changeOf = ({ from, to }: FileMove) => (to === null ? "removed" : from === null ? "created" : "changed");
