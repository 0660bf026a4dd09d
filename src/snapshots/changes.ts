import { existsSync } from "node:fs";
import { privateGit, type Shadow } from "./shadow.ts";
import { emptyTree, shadowOf, type Snapshot, type SnapshotStore, treeIn } from "./snapshot.ts";
import { type GitCall, GitFailure, gitNames, runGit } from "../lib/process/run-git.ts";

interface PartChanges {
  /** A patch for `git apply`, including new, deleted, renamed, and binary files. */
  readonly patch: Buffer;
  readonly files: readonly FileChange[];
}

/** The differences between two snapshots. */
export interface Changes extends PartChanges {
  /** One line per file, in the format of `git status --porcelain`. */
  readonly status: string;
}

interface FileChange {
  readonly path: string;
  readonly kind: "added" | "deleted" | "modified" | "renamed" | "type changed";
  readonly from?: string;
}

const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--ignore-submodules=all"];

/** Compares two snapshots of one store, including nested repositories. */
export async function compareSnapshots(store: SnapshotStore, before: Snapshot, after: Snapshot): Promise<Changes> {
  const parts = await compareParts(store, [before, after], async (path, trees, call) => {
    const [patch, files] = await Promise.all([patchOf(path, trees, call), filesOf(path, trees, call)]);
    return { patch, files };
  });
  const files = parts.flatMap((part) => part.files);
  return { patch: Buffer.concat(parts.map(({ patch }) => patch)), files, status: files.map(statusLine).join("") };
}

/** One line per file that differs between two snapshots of one store, in the format of `git status --porcelain`. */
export async function changedFiles(
  store: SnapshotStore,
  before: Snapshot,
  after: Snapshot,
): Promise<readonly string[]> {
  if (before.digest === after.digest) return [];
  const parts = await compareParts(store, [before, after], async (path, trees, call) => ({
    files: await filesOf(path, trees, call),
  }));
  return parts.flatMap(({ files }) => files.map((file) => statusLine(file).trimEnd()));
}

type Trees = readonly [before: string, after: string];

async function compareParts<Part extends Pick<PartChanges, "files">>(
  store: SnapshotStore,
  [before, after]: readonly [Snapshot, Snapshot],
  diffTrees: (path: string, trees: Trees, call: GitCall) => Promise<Part>,
): Promise<readonly Part[]> {
  const found: Part[] = [];
  for (const path of [...new Set([...before.parts, ...after.parts].map(({ path }) => path))].toSorted()) {
    const call = comparing(shadowOf(store, path));
    const trees = [await treeIn(before, path, call), await treeIn(after, path, call)] as const;
    if (trees[0] === trees[1]) continue;
    try {
      found.push(await diffTrees(path, trees, call));
    } catch (error) {
      if (!(error instanceof GitFailure) || path === "") throw error;
      // A nested repository was removed, along with the objects of its old tree.
      const rest = await diffTrees(path, [await emptyTree(call), trees[1]], call);
      found.push({ ...rest, files: [{ path, kind: "deleted" }, ...rest.files] });
    }
  }
  return found;
}

async function patchOf(path: string, trees: Trees, call: GitCall): Promise<Buffer> {
  const prefixes = [`--src-prefix=a/${path}`, `--dst-prefix=b/${path}`];
  return (await runGit([...DIFF, "--binary", "--full-index", ...prefixes, ...trees], call)).stdout;
}

const filesOf = async (path: string, trees: Trees, call: GitCall): Promise<readonly FileChange[]> =>
  readNameStatus(await gitNames([...DIFF, "--name-status", "-z", ...trees], call), path);

/** Trees can be compared even if the work tree no longer exists. */
function comparing({ call, folder }: Shadow): GitCall {
  return existsSync(call.cwd) ? call : privateGit(folder, folder);
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type changed",
};

function readNameStatus(fields: readonly string[], prefix: string): FileChange[] {
  const files: FileChange[] = [];
  for (let at = 0; at < fields.length;) {
    const kind = KINDS[fields[at]?.[0] ?? ""] ?? "modified";
    const [first, second] = [prefix + (fields[at + 1] ?? ""), prefix + (fields[at + 2] ?? "")];
    files.push(kind === "renamed" ? { path: second, kind, from: first } : { path: first, kind });
    at += kind === "renamed" ? 3 : 2;
  }
  return files;
}

function statusLine({ kind, path, from }: FileChange): string {
  const letter = kind[0]?.toUpperCase() ?? "M";
  return `${letter}  ${from === undefined ? "" : `${from} -> `}${path}\n`;
}
