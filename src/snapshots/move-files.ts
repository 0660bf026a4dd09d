import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { makeFolder } from "../lib/files/make-folder.ts";
import { BlockedFolder, openFolder } from "../lib/files/open-folder.ts";
import { runGit } from "../lib/process/run-git.ts";
import { errorCode, messageOf } from "../lib/text/user-error.ts";
import { folderNames, installFile, removeEmpty, removeLeftFiles } from "./install-file.ts";
import { privateGit, type Shadow } from "./shadow.ts";
import { isSameFile, isUnknown, presentFile } from "./state-changes.ts";

/** Another try would not help. */
class GoneContent extends Error {}

const NO_ROOM = ["ENOSPC", "EDQUOT", "EROFS"];

/**
 * Turns files from one state into another, each completely or not at all. A file that is not in its first state any
 * more is kept. What fails can be tried again: files that are done are not touched again. Files are prepared in
 * `privateFolder`.
 */
export async function moveFiles(
  moves: readonly FileMove[],
  workspace: string,
  privateFolder: string,
  shadowOf: FindShadow,
): Promise<MoveReport> {
  makeFolder(privateFolder);
  const folder = mkdtempSync(join(privateFolder, "undo-"));
  try {
    const wanted = moves.flatMap(({ to }) => (to === null ? [] : [to]));
    const staged = await stageFiles(wanted, folder, shadowOf);
    return carryOut(moves, workspace, (move) =>
      move.to === null ? remove(move, workspace) : put(move, staged(move.to), workspace),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function carryOut(moves: readonly FileMove[], workspace: string, act: (move: FileMove) => void): MoveReport {
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

function put({ path, from, to }: FileMove, staged: string | undefined, workspace: string): void {
  if (staged === undefined || lstatSync(staged, { throwIfNoEntry: false }) === undefined)
    throw new GoneContent("its old content is no longer in the repository");
  using folder = openFolder(workspace, folderNames(path), true);
  if (folder === undefined) throw new Error("its folder cannot be made");
  const name = basename(path);
  const isFolder = lstatSync(folder.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) removeEmptyBelow(path, workspace);
  installFile(folder, { name, staged, mode: to?.mode }, from !== null || isFolder);
}

function remove({ path }: FileMove, workspace: string): void {
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

/** A file or link, and the store and part that have its content. */
const StoredFile = z.object({
  kind: z.enum(["file", "link"]),
  oid: z.string(),
  mode: z.int(),
  part: z.string(),
  /** The id of the snapshot folder. */
  store: z.string(),
});

export type StoredFile = z.infer<typeof StoredFile>;

/** One file that an undo or a redo turns from one state into another. Null: there is no file. */
export const FileMove = z.object({ path: z.string(), from: StoredFile.nullable(), to: StoredFile.nullable() });

export type FileMove = z.infer<typeof FileMove>;

export interface PathReason {
  readonly path: string;
  readonly because: string;
  /** Set where force would not help. */
  readonly isFinal?: true;
}

/** What an undo or redo would do, or has done. */
export interface MoveReport {
  readonly moved: readonly FileMove[];
  /** Files that stay as they are, on purpose. */
  readonly kept: readonly PathReason[];
  readonly failed: readonly PathReason[];
}

/** The shadow that has the content of a stored file. */
type FindShadow = (store: string, part: string) => Shadow | undefined;

/**
 * Lays out stored files in an empty private folder. Returns where each of them is; one whose content is gone from git
 * is missing there. No filter is run.
 */
async function stageFiles(
  files: readonly StoredFile[],
  folder: string,
  shadowOf: FindShadow,
): Promise<(file: StoredFile) => string | undefined> {
  const places = new Map<StoredFile, string>();
  const groups = Map.groupBy(files, ({ store, part }) => `${store}\0${part}`);
  for (const [number, group] of [...groups.values()].entries()) {
    const [first] = group;
    const shadow = first === undefined ? undefined : shadowOf(first.store, first.part);
    if (shadow === undefined) continue;
    const area = join(folder, String(number));
    mkdirSync(area);
    const own = privateGit(shadow.folder, area);
    const git = { ...own, env: { ...own.env, GIT_INDEX_FILE: `${area}.index` } };
    // By numbers, since one path may be a file in one turn and a folder in another.
    const lines = group.map(({ kind, mode, oid }, name) => `${gitMode(kind, mode)} ${oid}\t${name}\0`);
    await runGit(["update-index", "-z", "--index-info"], { ...git, input: lines.join("") });
    // Fails for files whose content is gone; the others are written all the same.
    await runGit(["checkout-index", "--all", "--quiet"], { ...git, accept: [1, 128] });
    for (const [name, file] of group.entries()) places.set(file, join(area, String(name)));
  }
  return (file) => places.get(file);
}

const gitMode = (kind: StoredFile["kind"], mode: number) =>
  kind === "link" ? "120000" : (mode & 0o100) === 0 ? "100644" : "100755";
