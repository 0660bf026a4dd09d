import { readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { folderNames } from "./install-file.ts";
import * as z from "zod";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { openFolder } from "../lib/files/open-folder.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { gitLine } from "../lib/process/run-git.ts";
import { FileMove, moveFiles, type MoveReport, type PathReason } from "./move-files.ts";
import { isSameFile, isUnknown, presentFile } from "./state-changes.ts";
import { sessionFolder, storeIn } from "./saved-session.ts";
import type { Shadow } from "./shadow.ts";
import { openSnapshots } from "./snapshot.ts";

const MOVES_FORMAT = 1;

const MovesFile = z.object({ version: z.literal(MOVES_FORMAT), moves: z.array(FileMove) });

/** Where the files of one undo are, and where it is remembered what was done. */
export interface MovesPlace {
  readonly home: string;
  readonly workspace: string;
  /** The id of the snapshot folder, and of the undo. */
  readonly folder: string;
  readonly undo: string;
}

const movesFile = ({ home, folder, undo }: MovesPlace) => join(sessionFolder(home, folder), "undos", `${undo}.json`);

/** The files that an undo has changed; undefined if that is not known any more. */
export function readMoves(place: MovesPlace): readonly FileMove[] | undefined {
  try {
    return MovesFile.parse(parseJson(readFileSync(movesFile(place), "utf8"))).moves;
  } catch {
    // Snapshots are removed after two weeks.
    return undefined;
  }
}

function writeMoves(place: MovesPlace, moves: readonly FileMove[]): void {
  makeFolder(join(sessionFolder(place.home, place.folder), "undos"));
  atomicWrite(movesFile(place), `${JSON.stringify({ version: MOVES_FORMAT, moves })}\n`);
}

/** A planned change of files that has been remembered, so that it can be finished or taken back. */
interface PreparedMoves {
  /** Changes the files. */
  readonly carryOut: () => Promise<MoveReport>;
}

/**
 * Remembers what an undo is going to change, and saves what no snapshot has. An undo that was interrupted before goes
 * on: what it has done stays remembered.
 */
export async function prepareMoves(wanted: readonly FileMove[], place: MovesPlace): Promise<PreparedMoves> {
  const before = readMoves(place) ?? [];
  const [moves, unsaved] = await saveContents(wanted, place);
  const again = new Set(moves.map(({ path }) => path));
  const earlier = before.filter((move) => !again.has(move.path));
  writeMoves(place, [...earlier, ...moves.map((move) => joined(move, before))]);
  return {
    async carryOut() {
      const report = await revertMoves(moves, place);
      const done = [
        ...earlier.filter((move) => isDone(move, place)),
        ...report.moved.map((move) => joined(move, before)),
      ];
      writeMoves(place, done);
      return { ...report, kept: [...unsaved, ...report.kept] };
    },
  };
}

/** Changes files of an undo, or changes them back. */
export const revertMoves = (moves: readonly FileMove[], place: MovesPlace): Promise<MoveReport> =>
  moveFiles(moves, place.workspace, sessionFolder(place.home, place.folder), shadows(place));

/** A file that was moved by the interrupted undo and changed again since begins where it was at first. */
function joined(move: FileMove, before: readonly FileMove[]): FileMove {
  const first = before.find(({ path }) => path === move.path);
  return first === undefined || !isSameFile(first.to, move.from) ? move : { ...move, from: first.from };
}

function isDone({ path, to, from }: FileMove, { workspace }: MovesPlace): boolean {
  const present = presentFile(workspace, path, (to ?? from)?.oid.length ?? 40);
  return !isUnknown(present) && isSameFile(present, to);
}

const shadows =
  ({ home, workspace }: MovesPlace) =>
  (store: string, part: string): Shadow | undefined =>
    openSnapshots(workspace, storeIn(sessionFolder(home, store))).shadow(part);

/** Stores the content of files that no store has yet. Those that cannot be read are not moved. */
async function saveContents(
  moves: readonly FileMove[],
  place: MovesPlace,
): Promise<readonly [readonly FileMove[], readonly PathReason[]]> {
  const saved: FileMove[] = [];
  const unsaved: PathReason[] = [];
  for (const move of moves) {
    const { path, from } = move;
    if (from === null || from.store !== "") saved.push(move);
    else if ((await saveContent(move, place)) === from.oid)
      saved.push({ ...move, from: { ...from, part: "", store: place.folder } });
    else unsaved.push({ path, because: "it could not be saved first" });
  }
  return [saved, unsaved];
}

async function saveContent({ path, from }: FileMove, place: MovesPlace): Promise<string | undefined> {
  const shadow = shadows(place)(place.folder, "");
  using folder = openFolder(place.workspace, folderNames(path), false);
  if (shadow === undefined || folder === undefined) return undefined;
  const file = folder.at(basename(path));
  const input = from?.kind === "link" ? readlinkSync(file, { encoding: "buffer" }) : readFileSync(file);
  return await gitLine(["hash-object", "-w", "--stdin", "--no-filters"], { ...shadow.call, cwd: shadow.folder, input });
}
