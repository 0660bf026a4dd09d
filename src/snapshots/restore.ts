import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { makeFolder } from "../lib/files/make-folder.ts";
import { BlockedFolder, openFolder } from "../lib/files/open-folder.ts";
import { isInside } from "../lib/path/inside.ts";
import { type GitCall, GitFailure, runGit } from "../lib/process/run-git.ts";
import { errorCode, messageOf } from "../lib/text/user-error.ts";
import { hasContent, indexEntries, type IndexEntry } from "./index-entries.ts";
import { folderNames, installFile, removeFile } from "./install-file.ts";
import {
  openSnapshots,
  shadowOf,
  type Snapshot,
  type SnapshotStore,
  type TreeDifference,
  treeDifferences,
  treeIn,
} from "./snapshot.ts";
import { limitedFilter, type StoredContent, USUAL_SNAPSHOT_LIMITS } from "./take-snapshot.ts";

/** A stored snapshot and where it belongs. */
export interface SavedSnapshot extends StoredContent {
  readonly workspace: string;
  /** The private folder that the snapshot was taken in. */
  readonly store: string;
  /** When the session ended, in milliseconds since 1970. What changed later is the user's. */
  readonly endedAt: number | undefined;
}

export interface RestoreOptions {
  /** Absolute paths of files and folders; everything if missing. */
  readonly paths?: readonly string[];
  /** Changes nothing; the report says what would happen. */
  readonly dryRun?: boolean;
  /** Also replaces files that were changed after the session. */
  readonly force?: boolean;
  /** Also removes files that are not in the snapshot. */
  readonly removeNew?: boolean;
  readonly signal?: AbortSignal;
}

export interface RestoreReport {
  readonly restored: readonly { readonly path: string; readonly change: "changed" | "deleted" }[];
  readonly removed: readonly string[];
  /** Files that were made later and stay. */
  readonly added: readonly string[];
  /** Files that were not restored on purpose. */
  readonly kept: readonly PathReason[];
  readonly failed: readonly PathReason[];
  /** The workspace before the restore. Its store can restore that, too. */
  readonly undo: StoredContent;
}

interface PathReason {
  readonly path: string;
  readonly because: string;
}

/**
 * Restores changed and deleted files, one by one, each completely or not at all. What is replaced is saved in the same
 * store first. Never writes through a link, and leaves what changed meanwhile.
 */
export async function restoreSnapshot(saved: SavedSnapshot, options: RestoreOptions = {}): Promise<RestoreReport> {
  const workspace = realpathSync(saved.workspace);
  const store = openSnapshots(workspace, saved.store, saved.snapshot);
  const filter = limitedFilter(workspace, { ...USUAL_SNAPSHOT_LIMITS, files: Infinity, bytes: Infinity });
  const { signal } = options;
  const now = await store.take({ filter: filter.choose, exact: true, signal });
  makeFolder(saved.store);
  const folder = mkdtempSync(join(saved.store, "restore-"));
  try {
    const paths = options.paths ?? [];
    const plan = await planRestore(store, [saved.snapshot, now], folder, paths);
    const known = { saved, workspace, options, entries: await indexEntries(store, now, signal) };
    return { ...carryOut(plan, known), undo: { snapshot: now, modes: filter.modes } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Known {
  readonly saved: SavedSnapshot;
  readonly workspace: string;
  readonly options: RestoreOptions;
  /** What was saved of the present files. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
}

const NO_ROOM = ["ENOSPC", "EDQUOT", "EROFS"];

function carryOut(plan: readonly Difference[], known: Known) {
  const [restored, removed, added]: [{ path: string; change: "changed" | "deleted" }[], string[], string[]] = [
    [],
    [],
    [],
  ];
  const [kept, failed]: [PathReason[], PathReason[]] = [[], []];
  let stopped: string | undefined;
  // New files first: they may be where a folder was.
  const inOrder = plan.toSorted((one, other) => Number(other.change === "added") - Number(one.change === "added"));
  for (const difference of inOrder) {
    const { path, change } = difference;
    if (change === "added" && known.options.removeNew !== true) {
      added.push(path);
      continue;
    }
    try {
      const because = stopped ?? objection(difference, known);
      if (because !== undefined) (stopped === undefined ? kept : failed).push({ path, because });
      else {
        if (known.options.dryRun !== true) (change === "added" ? remove : put)(difference, known);
        if (change === "added") removed.push(path);
        else restored.push({ path, change });
      }
    } catch (error) {
      if (error instanceof BlockedFolder || errorCode(error) === "EEXIST")
        kept.push({ path, because: messageOf(error) });
      else failed.push({ path, because: messageOf(error) });
      if (NO_ROOM.includes(errorCode(error) ?? "")) stopped = "not tried, because the disk is full or read-only";
    }
  }
  return { restored, removed, added, kept, failed };
}

/** Why a file must stay as it is, or undefined. */
function objection({ path, staged }: Difference, known: Known): string | undefined {
  const { workspace, saved, options, entries } = known;
  using folder = openFolder(workspace, folderNames(path), false);
  if (staged !== undefined && lstatSync(staged, { throwIfNoEntry: false }) === undefined)
    throw new Error("its old content is no longer in the repository");
  const file = folder?.at(basename(path));
  const stat = file === undefined ? undefined : lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || file === undefined) return undefined;
  if (stat.isDirectory())
    return options.removeNew === true || readdirSync(file).length === 0 ? undefined : "a folder is in its place";
  if (options.force === true) return undefined;
  if (saved.endedAt === undefined) return "it is not known when the session ended, so this may be your own change";
  if (Number(stat.ctimeNs / 1_000_000n) > saved.endedAt) return "it was changed after the session ended";
  const entry = entries.get(path);
  if (entry === undefined) return "its present content is too large or unreadable, so it could not be saved first";
  return hasContent(file, stat, entry) ? undefined : "it was changed during the restore";
}

function put({ path, staged, change }: Difference, { workspace, saved }: Known): void {
  using folder = openFolder(workspace, folderNames(path), true);
  if (folder === undefined || staged === undefined) throw new Error("nothing to restore from");
  const name = basename(path);
  installFile(folder, { name, staged, mode: saved.modes[path] }, change === "changed" || isFolder(folder.at(name)));
}

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const remove = ({ path }: Difference, { workspace }: Known): void => removeFile(workspace, path);

/** A path that is not as the snapshot has it. */
interface Difference {
  /** From the workspace. */
  readonly path: string;
  readonly change: "changed" | "deleted" | "added";
  /** The finished old file; undefined for a new one. It is missing if its content is gone from git. */
  readonly staged: string | undefined;
}

/**
 * Finds what differs from a snapshot, and lays out the old content of those files in an empty private folder. `paths` are
 * absolute; all count if there is none.
 */
async function planRestore(
  store: SnapshotStore,
  [before, now]: readonly [Snapshot, Snapshot],
  folder: string,
  paths: readonly string[],
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const places = [...new Set([...before.parts, ...now.parts].map(({ path }) => path))].toSorted();
  for (const [number, place] of places.entries()) {
    const shadow = shadowOf(store, place);
    const area = join(folder, String(number));
    mkdirSync(area);
    const git: GitCall = {
      cwd: area,
      env: { ...shadow.call.env, GIT_WORK_TREE: area, GIT_INDEX_FILE: `${area}.index` },
    };
    const trees = [await treeIn(before, place, git), await treeIn(now, place, git)] as const;
    const found = await findInPart(trees, git);
    if (found === undefined) {
      differences.push({ path: join(place), change: "deleted", staged: join(area, "gone") });
      continue;
    }
    const chosen = found.filter(
      ({ path: name }) => paths.length === 0 || paths.some((path) => isInside(join(store.root, place, name), path)),
    );
    const wanted = chosen.filter(({ change }) => change !== "added").map(({ path }) => path);
    if (wanted.length > 0) await layOut(trees[0], wanted, git);
    for (const { path: name, change } of chosen)
      differences.push({ path: join(place, name), change, staged: change === "added" ? undefined : join(area, name) });
  }
  return differences;
}

const SUBMODULE = "160000";

/** Undefined for a nested repository that was removed together with the objects of its old tree. */
async function findInPart(trees: readonly [string, string], git: GitCall): Promise<TreeDifference[] | undefined> {
  try {
    const found = await treeDifferences(trees, git);
    return found.filter(({ old, now }) => old.mode !== SUBMODULE && now.mode !== SUBMODULE);
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}

/** Attributes are read from the old tree, and no filter is configured, so nothing the agent wrote takes part. */
async function layOut(tree: string, names: readonly string[], git: GitCall): Promise<void> {
  await runGit(["read-tree", tree], git);
  const input = names.map((name) => `${name}\0`).join("");
  // Fails for files whose content is gone; the others are written all the same.
  await runGit(["checkout-index", "--quiet", "-z", "--stdin"], { ...git, input, accept: [1, 128] });
}
