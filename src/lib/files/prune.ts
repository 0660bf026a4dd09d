import { lstatSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { errorCode, messageOf } from "../text/user-error.ts";
import { folderNames, removeTree, treeSize } from "./folder-tree.ts";
import { makeFolder } from "./make-folder.ts";
import { randomId } from "./random-id.ts";

/** What to remove from a home: everything that was last used before a time. */
export interface PruneOrder {
  readonly home: string;
  /** Milliseconds since 1970. */
  readonly before: number;
  /** Only list. */
  readonly dryRun: boolean;
}

export interface PrunedItem {
  readonly what: string;
  /** When it was last used, in milliseconds since 1970. */
  readonly used: number;
  readonly bytes: number;
}

/** Something old that stays, and why. */
export interface KeptItem {
  readonly what: string;
  readonly because: string;
}

export interface PruneReport {
  readonly pruned: readonly PrunedItem[];
  readonly kept: readonly KeptItem[];
}

/** A candidate of a room. `mayGo` says why it must stay; it is asked again right before the removal. */
export interface PruneCandidate {
  readonly what: string;
  readonly used: number;
  readonly paths: readonly string[];
  readonly mayGo: () => string | undefined;
}

/** Something of one name in a folder, whose own time counts as that of its last use. */
export const oneFile = (what: string, path: string, mayGo: PruneCandidate["mayGo"]): PruneCandidate => ({
  what,
  used: lastChanged(path),
  paths: [path],
  mayGo,
});

/** Removes what is old in a folder of the home, which has something of its own under each name. */
export function pruneFolder(
  folder: string,
  order: PruneOrder,
  candidate: (name: string, path: string) => PruneCandidate | undefined,
): PruneReport {
  const { names, kept } = prunableNames(folder);
  const candidates = names.flatMap((name) => candidate(name, join(folder, name)) ?? []);
  return allReports([{ pruned: [], kept }, pruneCandidates(candidates, order)]);
}

export const allReports = (reports: readonly PruneReport[]): PruneReport => ({
  pruned: reports.flatMap(({ pruned }) => pruned),
  kept: reports.flatMap(({ kept }) => kept),
});

/** Removes candidates that were last used before the time. The paths of one vanish one by one, in the given order. */
export function pruneCandidates(candidates: readonly PruneCandidate[], order: PruneOrder): PruneReport {
  const pruned: PrunedItem[] = [];
  const kept: KeptItem[] = [];
  for (const { what, used, paths, mayGo } of candidates) {
    // A time that cannot be read, or that lies in the future, is never old.
    if (!(used < order.before)) continue;
    try {
      const because = mayGo();
      if (because !== undefined) kept.push({ what, because });
      else pruned.push({ what, used, bytes: discardAll(paths, order) });
    } catch (error) {
      kept.push({ what, because: `cannot remove it: ${messageOf(error)}` });
    }
  }
  return { pruned, kept };
}

/** Discards these, unless they are only listed. Returns their bytes. */
export function discardAll(paths: readonly string[], { home, dryRun }: PruneOrder): number {
  const bytes = paths.reduce((sum, path) => sum + treeSize(path), 0);
  if (!dryRun) for (const path of paths) discard(home, path);
  return bytes;
}

/** The names in a folder of the home. None if it is missing; `because` if it is a link, which is never followed. */
export function prunableNames(folder: string): { readonly names: readonly string[]; readonly kept: KeptItem[] } {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return { names: [], kept: [] };
  if (!stat.isDirectory()) return { names: [], kept: [{ what: basename(folder), because: "it is not a folder" }] };
  return { names: folderNames(folder), kept: [] };
}

const trashFolder = (home: string) => join(home, "pruning");

/** Takes a path out of the home in one step. A kill afterwards leaves it where `emptyTrash` finds it. */
function discard(home: string, path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  makeFolder(trashFolder(home));
  if (!lstatSync(trashFolder(home)).isDirectory()) throw new Error(`${trashFolder(home)} is a link`);
  try {
    renameSync(path, join(trashFolder(home), randomId()));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    if (errorCode(error) !== "EXDEV") throw error;
    removeTree(path);
  }
}

/** Removes what was discarded, also by a prune that was killed. */
export function emptyTrash(home: string): void {
  const { names } = prunableNames(trashFolder(home));
  for (const name of names) removeTree(join(trashFolder(home), name));
}

/** The newest time of a path itself: when its content or it was changed. `-Infinity` if it is missing. */
export function lastChanged(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
}
