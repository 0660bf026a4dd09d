import { lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type TreeDifference, treeDifferences } from "./snapshot.ts";
import { openFolder } from "../lib/files/open-folder.ts";
import { type GitCall, GitFailure, runGit } from "../lib/process/run-git.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { folderNames, installFile, removeFile } from "./install-file.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";

interface MergeOrder {
  /** The workspace that gets the changes. */
  readonly workspace: string;
  /** A store of the copy where the changes were made, which holds content exactly, and two of its snapshots. */
  readonly store: SnapshotStore;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** A private folder, for both versions of what cannot be merged. */
  readonly folder: string;
  /** Why a change must not be made at all, or undefined. */
  readonly objection: (change: MergeChange) => string | undefined;
}

/** A path that was changed in the copy. */
export interface MergeChange {
  readonly path: string;
  readonly kind: "added" | "deleted" | "changed";
  /** The target, if the path becomes a link. */
  readonly target: string | undefined;
}

export interface MergeReport {
  /** Paths that have been changed in the workspace. */
  readonly merged: readonly string[];
  /** Paths that were left as they are. */
  readonly conflicts: readonly MergeConflict[];
}

export interface MergeConflict {
  readonly path: string;
  readonly because: string;
  /** Files with the version of the copy, and the one that both sides started from. */
  readonly theirs?: string | undefined;
  readonly base?: string | undefined;
}

/**
 * Brings the changes between two snapshots of a copy into a workspace that may have changed too, file by file. What
 * cannot be merged is left as it is. Only files are changed, never the index, and never through a link.
 */
export async function mergeChanges(order: MergeOrder): Promise<MergeReport> {
  const { store, before, after } = order;
  const shadow = store.shadow("");
  const tree = ({ parts }: Snapshot) => parts.find(({ path }) => path === "")?.tree ?? "";
  if (shadow === undefined) throw new Error("the snapshot belongs to another store");
  const { call } = shadow;
  const differences = await treeDifferences([tree(before), tree(after)], call);
  const merged: string[] = [];
  const conflicts: MergeConflict[] = nestedChanges(before, after);
  // Something else may take the place of what is deleted.
  const isDeletion = ({ change }: TreeDifference) => Number(change === "deleted");
  for (const { path, old, now } of differences.toSorted((one, other) => isDeletion(other) - isDeletion(one))) {
    const [base, theirs] = [await stored(old.mode, old.oid, call), await stored(now.mode, now.oid, call)];
    try {
      const because = await mergePath({ path, base, theirs }, order, call);
      if (because === undefined) merged.push(path);
      else conflicts.push({ path, because, ...keepVersions({ path, base, theirs }, order.folder) });
    } catch (error) {
      conflicts.push({ path, because: `it could not be written: ${messageOf(error)}` });
    }
  }
  return { merged, conflicts };
}

/** Repositories that were made or changed inside the copy are not merged. */
function nestedChanges(before: Snapshot, after: Snapshot): MergeConflict[] {
  const known = new Map(before.parts.map(({ path, tree }) => [path, tree]));
  return after.parts
    .filter(({ path, tree }) => path !== "" && known.get(path) !== tree)
    .map(({ path }) => ({ path, because: "it is a repository of its own" }));
}

interface ChangedPath {
  readonly path: string;
  readonly base: Version;
  readonly theirs: Version;
}

const NOTHING: Version = { kind: "nothing", bytes: Buffer.alloc(0), isExecutable: false };

async function stored(mode: string, id: string, call: GitCall): Promise<Version> {
  if (mode === "000000") return NOTHING;
  const kind = mode === "120000" ? "link" : mode.startsWith("100") ? "file" : "other";
  if (kind === "other") return { ...NOTHING, kind };
  const { stdout } = await runGit(["cat-file", "blob", id], call);
  return { kind, bytes: stdout, isExecutable: mode === "100755" };
}

/** Merges one path. Returns why it was left, or undefined. */
async function mergePath(
  { path, base, theirs }: ChangedPath,
  { workspace, folder, objection }: MergeOrder,
  call: GitCall,
): Promise<string | undefined> {
  const kind = base.kind === "nothing" ? "added" : theirs.kind === "nothing" ? "deleted" : "changed";
  const target = theirs.kind === "link" ? theirs.bytes.toString("utf8") : undefined;
  const because = objection({ path, kind, target });
  if (because !== undefined) return because;
  const ours = present(workspace, path);
  const result = await threeWay(withEndsOf(ours, base, theirs), textMerger(folder, call));
  if ("conflict" in result) return result.conflict;
  if (result.version === undefined) return undefined;
  const now = present(workspace, path);
  if (now.kind !== ours.kind || !now.bytes.equals(ours.bytes)) return "it was being changed at the same time";
  put(workspace, path, { version: result.version, folder });
  return undefined;
}

const textMerger =
  (folder: string, call: GitCall): MergeText =>
  async (texts) => {
    const files = (["ours", "base", "theirs"] as const).map((name) => {
      const file = join(folder, `merge-${name}`);
      writeFileSync(file, texts[name], { mode: 0o600 });
      return file;
    });
    try {
      const accept = Array.from({ length: 127 }, (_, index) => index + 1);
      const { code, stdout } = await runGit(["merge-file", "-p", ...files], { ...call, accept });
      return code === 0 ? stdout : undefined;
    } catch (error) {
      // One of them is not text.
      if (error instanceof GitFailure) return undefined;
      throw error;
    } finally {
      for (const file of files) rmSync(file, { force: true });
    }
  };

/** What is in the workspace now. Throws where a folder on the way has become something else. */
function present(workspace: string, path: string): Version {
  using folder = openFolder(workspace, folderNames(path), false);
  const file = folder?.at(basename(path));
  const stat = file === undefined ? undefined : lstatSync(file, { throwIfNoEntry: false });
  if (file === undefined || stat === undefined) return NOTHING;
  if (stat.isSymbolicLink()) return { ...NOTHING, kind: "link", bytes: readlinkSync(file, { encoding: "buffer" }) };
  if (!stat.isFile()) return { ...NOTHING, kind: "other" };
  return { kind: "file", bytes: readFileSync(file), isExecutable: (stat.mode & 0o100) !== 0 };
}

function put(workspace: string, path: string, { version, folder }: { version: Version; folder: string }): void {
  if (version.kind === "nothing") return removeFile(workspace, path);
  const staged = join(folder, "merge-result");
  try {
    writeVersion(staged, version);
    using place = openFolder(workspace, folderNames(path), true);
    if (place === undefined) throw new Error("its folder is gone");
    installFile(place, { name: basename(path), staged, mode: undefined }, true);
  } finally {
    rmSync(staged, { force: true });
  }
}

function writeVersion(file: string, { kind, bytes, isExecutable }: Version): void {
  if (kind === "link") return symlinkSync(bytes, file);
  writeFileSync(file, bytes, { mode: isExecutable ? 0o777 : 0o666 });
}

/** Keeps both versions of a path that was not merged, where a person and a model can read them. */
function keepVersions({ path, base, theirs }: ChangedPath, folder: string) {
  const keep = (name: string, { kind, bytes }: Version) => {
    if (kind !== "file" && kind !== "link") return undefined;
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A link's target as text: it may lead anywhere.
    writeFileSync(file, bytes, { mode: 0o600 });
    return file;
  };
  return { theirs: keep("theirs", theirs), base: keep("base", base) };
}

/** What is at a path: nothing, a file, a link, or something that is not merged. */
interface Version {
  readonly kind: "nothing" | "file" | "link" | "other";
  /** A file's content or a link's target. */
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

interface Versions {
  /** What both started from. */
  readonly base: Version;
  readonly ours: Version;
  readonly theirs: Version;
}

/** The version to put in place of ours, undefined if ours stays; or why that cannot be told. */
type Merged = { readonly version: Version | undefined } | { readonly conflict: string };

/** Merges two texts that have a common base; undefined where both changed the same lines, or one is not text. */
type MergeText = (texts: Record<"base" | "ours" | "theirs", Buffer>) => Promise<Buffer | undefined>;

/** Merges what happened to one path on two sides. */
async function threeWay({ base, ours, theirs }: Versions, mergeText: MergeText): Promise<Merged> {
  if (isSame(ours, theirs) || isSame(base, theirs)) return { version: undefined };
  if (isSame(ours, base)) return { version: theirs };
  if (ours.kind === "nothing") return { conflict: "it was changed there and deleted here" };
  if (theirs.kind === "nothing") return { conflict: "it was deleted there and changed here" };
  if (base.kind === "nothing") return { conflict: "it was created on both sides, with different content" };
  if ([base, ours, theirs].some(({ kind }) => kind !== "file"))
    return { conflict: "it was changed on both sides, and is not a file on one of them" };
  const isExecutable = theirs.isExecutable === base.isExecutable ? ours.isExecutable : theirs.isExecutable;
  const bytes = await mergeBytes({ base: base.bytes, ours: ours.bytes, theirs: theirs.bytes }, mergeText);
  if (bytes === undefined) return { conflict: "both sides changed the same lines, or it is not text" };
  return { version: { kind: "file", bytes, isExecutable } };
}

async function mergeBytes(
  { base, ours, theirs }: Record<"base" | "ours" | "theirs", Buffer>,
  mergeText: MergeText,
): Promise<Buffer | undefined> {
  if (ours.equals(base) || ours.equals(theirs)) return theirs;
  if (theirs.equals(base)) return ours;
  return await mergeText({ base, ours, theirs });
}

const isSame = (one: Version, other: Version) =>
  one.kind === other.kind && one.isExecutable === other.isExecutable && one.bytes.equals(other.bytes);

/**
 * The three versions of a file with the line ends that the workspace has. Git may have changed those of the other two,
 * where attributes or settings tell it to. A change of all line ends on one side is left as it is.
 */
function withEndsOf(ours: Version, base: Version, theirs: Version): Versions {
  const [here, before] = [endsOf(ours), endsOf(base)];
  if (here === undefined || before === undefined || here === before) return { base, ours, theirs };
  return { ours, base: withEnds(base, here), theirs: endsOf(theirs) === before ? withEnds(theirs, here) : theirs };
}

/** The line ends of a text, if all are the same. */
function endsOf({ kind, bytes }: Version): "\n" | "\r\n" | undefined {
  if (kind !== "file" || bytes.includes(0)) return undefined;
  const text = bytes.toString("latin1");
  const all = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  if (all === 0) return undefined;
  return windows === 0 ? "\n" : windows === all ? "\r\n" : undefined;
}

const withEnds = (version: Version, ends: string): Version => ({
  ...version,
  bytes: Buffer.from(version.bytes.toString("latin1").replaceAll(/\r?\n/g, ends), "latin1"),
});
