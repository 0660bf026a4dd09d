import { lstatSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { folderNames } from "./install-file.ts";
import { blobId } from "../lib/files/hash-file.ts";
import { BlockedFolder, openFolder } from "../lib/files/open-folder.ts";
import { readBounded } from "../lib/files/read-file.ts";
import { type GitCall, GitFailure, gitNames } from "../lib/process/run-git.ts";
import { errorCode } from "../lib/text/user-error.ts";
import { privateGit } from "./shadow.ts";
import { shadowOf, type SnapshotStore, treeDifferences, treeIn } from "./snapshot.ts";
import { modeOf, type WorkspaceState } from "./turn-states.ts";

interface FileContent {
  readonly kind: "file" | "link";
  readonly oid: string;
  /** The part of the snapshot that has the content. */
  readonly part: string;
}

/** A file or link as a snapshot has it. Equal texts mean equal content. */
export interface FileState extends FileContent {
  /** Permissions; those of a link mean nothing. */
  readonly mode: number;
}

/** Null: there is no file. */
export interface StateChange {
  readonly before: FileState | null;
  readonly after: FileState | null;
}

export const isSameFile = (one: FileState | null, other: FileState | null): boolean =>
  one === null || other === null
    ? one === other
    : one.kind === other.kind && one.oid === other.oid && (one.kind === "link" || one.mode === other.mode);

interface StateChanges {
  readonly files: ReadonlyMap<string, StateChange>;
  /** Nested repositories that were removed together with the objects of their old trees. */
  readonly lost: readonly string[];
}

/** What differs between two states of one store, by path, with permissions. */
export async function stateChanges(
  store: SnapshotStore,
  before: WorkspaceState,
  after: WorkspaceState,
): Promise<StateChanges> {
  const changes = new Map<string, StateChange>();
  const lost: string[] = [];
  const parts = new Set([...before.snapshot.parts, ...after.snapshot.parts].map(({ path }) => path));
  for (const part of parts) {
    const shadow = shadowOf(store, part);
    // Trees can be compared even if the work tree is gone.
    const git = privateGit(shadow.folder, shadow.folder);
    const trees = [await treeIn(before.snapshot, part, git), await treeIn(after.snapshot, part, git)] as const;
    if (trees[0] === trees[1]) continue;
    const differences = await rawDifferences(part, trees, git);
    if (differences === undefined) lost.push(part);
    for (const { path, old, now } of differences ?? []) {
      const known = changes.get(path) ?? { before: null, after: null };
      changes.set(path, {
        // A file may move from one part to another, when a folder becomes a repository.
        before: old === undefined ? known.before : { ...old, mode: modeOf(before.modes, path, old.gitMode) },
        after: now === undefined ? known.after : { ...now, mode: modeOf(after.modes, path, now.gitMode) },
      });
    }
  }
  for (const [path, change] of await modeChanges(store, before, after, changes)) changes.set(path, change);
  for (const [path, change] of changes) if (isSameFile(change.before, change.after)) changes.delete(path);
  return { files: changes, lost };
}

interface RawFile extends FileContent {
  readonly gitMode: string;
}

interface RawDifference {
  readonly path: string;
  readonly old: RawFile | undefined;
  readonly now: RawFile | undefined;
}

/** Undefined for a nested repository that was removed together with the objects of its old tree. */
async function rawDifferences(
  part: string,
  trees: readonly [string, string],
  git: GitCall,
): Promise<readonly RawDifference[] | undefined> {
  try {
    return (await treeDifferences(trees, git)).map(({ path, old, now }) => ({
      path: join(part, path),
      old: rawFile(old.mode, old.oid, part),
      now: rawFile(now.mode, now.oid, part),
    }));
  } catch (error) {
    if (error instanceof GitFailure && part !== "") return undefined;
    throw error;
  }
}

/** Undefined for what is not there, and for submodules, whose files are a part of their own. */
function rawFile(gitMode: string, oid: string, part: string): RawFile | undefined {
  if (gitMode !== "120000" && !gitMode.startsWith("100")) return undefined;
  return { kind: gitMode === "120000" ? "link" : "file", oid, part, gitMode };
}

/** Files with the same content and other permissions. */
async function modeChanges(
  store: SnapshotStore,
  before: WorkspaceState,
  after: WorkspaceState,
  known: ReadonlyMap<string, StateChange>,
): Promise<readonly (readonly [string, StateChange])[]> {
  const isUsual = before.modes.plain === after.modes.plain && before.modes.executable === after.modes.executable;
  const named = new Set([...Object.keys(before.modes.others), ...Object.keys(after.modes.others)]);
  const isSuspect = (path: string) =>
    !known.has(path) && (!isUsual || before.modes.others[path] !== after.modes.others[path]);
  if (isUsual && ![...named].some(isSuspect)) return [];
  const found: (readonly [string, StateChange])[] = [];
  for (const { path: part, tree } of after.snapshot.parts) {
    for (const { path, raw } of await allFiles(store, part, tree)) {
      if (raw.kind === "link" || !isSuspect(path)) continue;
      const [old, now] = [modeOf(before.modes, path, raw.gitMode), modeOf(after.modes, path, raw.gitMode)];
      if (old !== now) found.push([path, { before: { ...raw, mode: old }, after: { ...raw, mode: now } }]);
    }
  }
  return found;
}

async function allFiles(store: SnapshotStore, part: string, tree: string) {
  const shadow = store.shadow(part);
  if (shadow === undefined) return [];
  const entries = await gitNames(["ls-tree", "-r", "-z", tree], privateGit(shadow.folder, shadow.folder));
  return entries.flatMap((entry) => {
    const [gitMode = "", , oid = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
    const raw = rawFile(gitMode, oid, part);
    return raw === undefined ? [] : [{ path: join(part, entry.slice(entry.indexOf("\t") + 1)), raw }];
  });
}

/** A larger file is not read: it is in no snapshot either. */
const MAX_READ = 64 * 1024 * 1024;

/** A file that is there and cannot be compared. */
export interface UnknownFile {
  readonly because: string;
}

export const isUnknown = (file: FileState | UnknownFile | null): file is UnknownFile =>
  file !== null && "because" in file;

/**
 * What is at a path of the workspace now. A folder counts as nothing, because snapshots have no folders. No link is
 * followed. `oidLength` tells the hash of the repository.
 */
export function presentFile(workspace: string, path: string, oidLength: number): FileState | UnknownFile | null {
  try {
    using folder = openFolder(workspace, folderNames(path), false);
    if (folder === undefined) return null;
    return look(folder.at(basename(path)), oidLength);
  } catch (error) {
    // A file or link is where its folder was.
    if (error instanceof BlockedFolder) return null;
    return { because: `it cannot be read (${errorCode(error) ?? String(error)})` };
  }
}

function look(file: string, oidLength: number): FileState | UnknownFile | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return null;
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink())
    return { kind: "link", oid: blobId(readlinkSync(file, { encoding: "buffer" }), oidLength), mode, part: "" };
  if (!stat.isFile()) return { because: "it is not a file any more" };
  if (stat.size > MAX_READ) return { because: "it is too large to be compared" };
  return { kind: "file", oid: blobId(readBounded(file, MAX_READ).bytes, oidLength), mode, part: "" };
}
