import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { messageOf } from "../lib/message-of.ts";
import { BlockedFolder, openFolder } from "../lib/open-folder.ts";
import type { FileMove, MoveReport, PathReason } from "./file-moves.ts";
import { installFile } from "./install-file.ts";
import { folderNames, isUnknown, presentFile } from "./present-file.ts";
import { type FindShadow, stageFiles } from "./stage-files.ts";
import { isSameFile } from "./state-changes.ts";
import { removeLeftFiles } from "./temporary-file.ts";

interface MovePlace {
  readonly workspace: string;
  /** A private folder for files that are being prepared. */
  readonly folder: string;
  readonly shadowOf: FindShadow;
}

/** Another try would not help. */
class GoneContent extends Error {}

const NO_ROOM = ["ENOSPC", "EDQUOT", "EROFS"];

/**
 * Turns files from one state into another, each completely or not at all. A file that is not in its first state any
 * more is kept. What fails can be tried again: files that are done are not touched again.
 */
export async function moveFiles(moves: readonly FileMove[], place: MovePlace): Promise<MoveReport> {
  makeFolder(place.folder);
  const folder = mkdtempSync(join(place.folder, "undo-"));
  try {
    const wanted = moves.flatMap(({ to }) => (to === null ? [] : [to]));
    const staged = await stageFiles(wanted, folder, place.shadowOf);
    return carryOut(
      moves,
      (move) => (move.to === null ? remove(move, place) : put(move, staged(move.to), place)),
      place,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function carryOut(moves: readonly FileMove[], act: (move: FileMove) => void, { workspace }: MovePlace): MoveReport {
  const [moved, kept, failed]: [FileMove[], PathReason[], PathReason[]] = [[], [], []];
  let stopped: string | undefined;
  // Removals first: a new file may be where a folder was.
  const inOrder = moves.toSorted((one, other) => Number(one.to !== null) - Number(other.to !== null));
  for (const move of inOrder) {
    const { path } = move;
    try {
      if (stopped !== undefined) throw new Error(stopped);
      if (!isStill(move, workspace)) kept.push({ path, because: "it was changed just now" });
      else {
        act(move);
        moved.push(move);
      }
    } catch (error) {
      const isFinal = error instanceof BlockedFolder || error instanceof GoneContent;
      if (isFinal) kept.push({ path, because: error.message });
      else if (["EEXIST", "ENOTEMPTY"].includes(errorCode(error) ?? ""))
        kept.push({ path, because: "a folder is in its place" });
      else if (NO_ROOM.includes(errorCode(error) ?? "")) {
        failed.push({ path, because: `the disk is full or read-only (${errorCode(error)})` });
        stopped = "not tried, because the disk is full or read-only";
      } else failed.push({ path, because: reasonOf(error) });
    }
  }
  removeLeft(moves, workspace);
  for (const { path, to } of moved) if (to === null) removeEmptyAbove(path, workspace);
  return { moved, kept, failed };
}

/** The paths in the error itself are those of our own folders. */
function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? "";
  return ["EACCES", "EPERM"].includes(code) ? `you may not write in its folder (${code})` : messageOf(error);
}

/** Removes what undos that were killed have left beside these files. */
function removeLeft(moves: readonly FileMove[], workspace: string): void {
  for (const place of new Set(moves.map(({ path }) => dirname(path)))) {
    try {
      using folder = openFolder(workspace, folderNames(join(place, "any")), false);
      if (folder !== undefined) removeLeftFiles(folder);
    } catch {
      // It may not be written, or a file or link has taken its place: nothing more can be done about them.
    }
  }
}

function isStill({ path, from, to }: FileMove, workspace: string): boolean {
  const present = presentFile(workspace, path, (from ?? to)?.oid.length ?? 40);
  return !isUnknown(present) && isSameFile(present, from);
}

function put({ path, from, to }: FileMove, staged: string | undefined, { workspace }: MovePlace): void {
  if (staged === undefined || lstatSync(staged, { throwIfNoEntry: false }) === undefined)
    throw new GoneContent("its old content is no longer in the repository");
  using folder = openFolder(workspace, folderNames(path), true);
  if (folder === undefined) throw new Error("its folder cannot be made");
  const name = basename(path);
  const isFolder = lstatSync(folder.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) removeEmptyBelow(path, workspace);
  installFile(folder, { name, staged, mode: to?.mode }, from !== null || isFolder);
}

function remove({ path }: FileMove, { workspace }: MovePlace): void {
  using folder = openFolder(workspace, folderNames(path), false);
  if (folder !== undefined) rmSync(folder.at(basename(path)), { force: true });
}

/** Removes the empty folders in a folder. */
function removeEmptyBelow(path: string, workspace: string): void {
  using folder = openFolder(workspace, folderNames(join(path, "any")), false);
  if (folder === undefined) return;
  for (const entry of readdirSync(folder.at("."), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    removeEmptyBelow(join(path, entry.name), workspace);
    removeEmpty(folder.at(entry.name));
  }
}

/** Removes the folders of a path that have become empty. */
function removeEmptyAbove(path: string, workspace: string): void {
  for (let place = dirname(path); place !== "."; place = dirname(place)) {
    try {
      using folder = openFolder(workspace, folderNames(place), false);
      if (folder === undefined || !removeEmpty(folder.at(basename(place)))) return;
    } catch {
      // A file or link has taken the place of a folder above.
      return;
    }
  }
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    // It still has files.
    return false;
  }
}
