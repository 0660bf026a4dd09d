import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../lib/inside.ts";
import { type GitCall, GitFailure, gitNames, runGit } from "../lib/run-git.ts";
import { emptyTree, type Snapshot, type SnapshotStore } from "./snapshot.ts";

/** A path that is not as the snapshot has it. */
export interface Difference {
  /** From the workspace. */
  readonly path: string;
  readonly change: "changed" | "deleted" | "added";
  /** The finished old file; undefined for a new one. It is missing if its content is gone from git. */
  readonly staged: string | undefined;
}

interface PlanParts {
  readonly store: SnapshotStore;
  readonly before: Snapshot;
  readonly now: Snapshot;
  /** An empty private folder for the old files. */
  readonly folder: string;
  /** Absolute paths; all if empty. */
  readonly paths: readonly string[];
}

/** Finds what differs from a snapshot, and lays out the old content of those files in a private folder. */
export async function planRestore({ store, before, now, folder, paths }: PlanParts): Promise<Difference[]> {
  const differences: Difference[] = [];
  const places = [...new Set([...before.parts, ...now.parts].map(({ path }) => path))].toSorted();
  for (const [number, place] of places.entries()) {
    const shadow = store.shadow(place);
    if (shadow === undefined) throw new Error(`no snapshot was taken of ${place}`);
    const area = join(folder, String(number));
    mkdirSync(area);
    const git: GitCall = {
      cwd: area,
      env: { ...shadow.call.env, GIT_WORK_TREE: area, GIT_INDEX_FILE: `${area}.index` },
    };
    const treeIn = async ({ parts }: Snapshot) =>
      parts.find(({ path }) => path === place)?.tree ?? (await emptyTree(git));
    const trees = [await treeIn(before), await treeIn(now)] as const;
    const found = await findInPart(trees, git);
    if (found === undefined) {
      differences.push({ path: join(place), change: "deleted", staged: join(area, "gone") });
      continue;
    }
    const chosen = found.filter(
      ({ name }) => paths.length === 0 || paths.some((path) => isInside(join(store.root, place, name), path)),
    );
    const wanted = chosen.filter(({ change }) => change !== "added").map(({ name }) => name);
    if (wanted.length > 0) await layOut(trees[0], wanted, git);
    for (const { name, change } of chosen)
      differences.push({ path: join(place, name), change, staged: change === "added" ? undefined : join(area, name) });
  }
  return differences;
}

const DIFF = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=all"];
const SUBMODULE = "160000";

interface FoundName {
  readonly name: string;
  readonly change: Difference["change"];
}

/** Undefined for a nested repository that was removed together with the objects of its old tree. */
async function findInPart(trees: readonly [string, string], git: GitCall): Promise<FoundName[] | undefined> {
  try {
    return readRaw(await gitNames([...DIFF, ...trees], git));
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}

function readRaw(fields: readonly string[]): FoundName[] {
  const found: FoundName[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode, , , status = ""] = (fields[at] ?? "").slice(1).split(" ");
    const change = status === "A" ? "added" : status === "D" ? "deleted" : "changed";
    if (oldMode !== SUBMODULE && newMode !== SUBMODULE) found.push({ name: fields[at + 1] ?? "", change });
  }
  return found;
}

/** Attributes are read from the old tree, and no filter is configured, so nothing the agent wrote takes part. */
async function layOut(tree: string, names: readonly string[], git: GitCall): Promise<void> {
  await runGit(["read-tree", tree], git);
  const input = names.map((name) => `${name}\0`).join("");
  // Fails for files whose content is gone; the others are written all the same.
  await runGit(["checkout-index", "--quiet", "-z", "--stdin"], { ...git, input, accept: [1, 128] });
}
