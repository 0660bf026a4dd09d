import { lstatSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { EXIT, messageOf, UserError } from "../lib/text/user-error.ts";
import { openFolder } from "../lib/files/open-folder.ts";
import { type GitCall, runGit } from "../lib/process/run-git.ts";
import { hasContent, type IndexEntry, indexEntries } from "./index-entries.ts";
import { folderNames, installFile, removeFile } from "./install-file.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";

interface ChangedEntry {
  readonly path: string;
  readonly kind: "added" | "deleted" | "changed";
}

interface ReplacePlan {
  /** Took the snapshot, which says what the files are now. */
  readonly store: SnapshotStore;
  readonly snapshot: Snapshot;
  readonly entries: readonly ChangedEntry[];
  /** The trees before and after the changes, and the git folder that has them. */
  readonly before: string;
  readonly after: string;
  readonly git: GitCall;
  /** A private folder. */
  readonly folder: string;
}

/** A path, with its finished old and new file in a private folder; undefined where there is none. */
interface Replacement {
  readonly path: string;
  readonly old: string | undefined;
  readonly now: string | undefined;
}

/**
 * Changes files of a workspace from one tree to another, all or nothing. No link is followed, even one that a program
 * puts in the place of a folder meanwhile, which `git apply` would. No filter is run.
 */
export async function replaceFiles(plan: ReplacePlan): Promise<void> {
  const { store, snapshot, entries, before, after, git, folder } = plan;
  const { root } = store;
  const known = await indexEntries(store, snapshot);
  const path = (entry: ChangedEntry) => entry.path;
  const old = await layOut(before, entries.filter(({ kind }) => kind !== "added").map(path), git, join(folder, "old"));
  const now = await layOut(after, entries.filter(({ kind }) => kind !== "deleted").map(path), git, join(folder, "new"));
  const all = entries.map((entry): Replacement => ({ path: entry.path, old: old(entry.path), now: now(entry.path) }));
  // Something else may take the place of what is deleted.
  const inOrder = all.toSorted((one, other) => Number(one.now !== undefined) - Number(other.now !== undefined));
  const done: Replacement[] = [];
  for (const each of inOrder) {
    try {
      refuseChanged(each, root, known);
      put(each, root);
      done.unshift(each);
    } catch (error) {
      throw new UserError(`the result does not apply: ${each.path}: ${messageOf(error)}`, {
        where: root,
        fix: leftMessage(takeBack(done, root)),
        exitCode: EXIT.refused,
        cause: error,
      });
    }
  }
}

const leftMessage = (left: readonly string[]) =>
  left.length === 0
    ? "nothing was changed; try again when no other program works there"
    : `these paths have the new content already: ${left.join(", ")}`;

/** Returns the paths where that failed too. */
function takeBack(done: readonly Replacement[], root: string): readonly string[] {
  return done.flatMap(({ path, old, now }) => {
    try {
      put({ path, old: now, now: old }, root);
      return [];
    } catch {
      return [path];
    }
  });
}

function refuseChanged({ path, old }: Replacement, root: string, known: ReadonlyMap<string, IndexEntry>): void {
  using folder = openFolder(root, folderNames(path), false);
  const file = folder?.at(basename(path));
  const stat = file === undefined ? undefined : lstatSync(file, { bigint: true, throwIfNoEntry: false });
  const entry = known.get(path);
  const isAsKnown =
    old === undefined
      ? stat === undefined || stat.isDirectory()
      : file !== undefined && stat !== undefined && entry !== undefined && hasContent(file, stat, entry);
  if (!isAsKnown) throw new Error("it was changed just now");
}

function put({ path, old, now }: Replacement, root: string): void {
  if (now === undefined) return removeFile(root, path);
  using folder = openFolder(root, folderNames(path), true);
  if (folder === undefined) throw new Error("its folder cannot be made");
  installFile(folder, { name: basename(path), staged: now, mode: undefined }, old !== undefined);
}

/** Writes files of a tree to a private folder, in the form that the repository's settings give them. */
async function layOut(
  tree: string,
  names: readonly string[],
  git: GitCall,
  area: string,
): Promise<(path: string) => string | undefined> {
  mkdirSync(area, { mode: 0o700 });
  const call: GitCall = { cwd: area, env: { ...git.env, GIT_WORK_TREE: area, GIT_INDEX_FILE: `${area}.index` } };
  await runGit(["read-tree", tree], call);
  await runGit(["checkout-index", "--quiet", "-z", "--stdin"], {
    ...call,
    input: names.map((each) => `${each}\0`).join(""),
  });
  const wanted = new Set(names);
  return (path) => (wanted.has(path) ? join(area, path) : undefined);
}
