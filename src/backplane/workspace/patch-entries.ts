import { join } from "node:path";
import { GitFailure, gitLine, type GitCall, gitNames, runGit } from "../../lib/run-git.ts";
import type { Snapshot, SnapshotStore } from "../../snapshots/snapshot.ts";

/** One path that a patch changes. A rename has two entries. */
export interface PatchEntry {
  readonly path: string;
  readonly kind: "added" | "deleted" | "changed";
  /** Git file modes; 000000 if the file does not exist. */
  readonly oldMode: string;
  readonly newMode: string;
  /** The link target, if the path becomes a link. */
  readonly target: string | undefined;
}

export const LINK_MODE = "120000";

interface PatchPlace {
  readonly store: SnapshotStore;
  /** The snapshot the patch applies to. */
  readonly snapshot: Snapshot;
  readonly patchFile: string;
  /** For a temporary index. */
  readonly folder: string;
}

interface PatchedTrees {
  readonly entries: readonly PatchEntry[];
  readonly before: string;
  readonly after: string;
  /** Finds both trees. */
  readonly git: GitCall;
}

/**
 * What a patch does to a snapshot, path by path, taken from the trees before and after it, not from its text.
 * Throws a GitFailure if it does not apply. Does not touch the work tree.
 */
export async function patchEntries({ store, snapshot, patchFile, folder }: PatchPlace): Promise<PatchedTrees> {
  const shadow = store.shadow("");
  if (shadow === undefined) throw new Error("the snapshot belongs to another store");
  const inner = snapshot.parts.filter(({ path }) => path !== "");
  const alternates = inner.flatMap(({ path }) => store.shadow(path)?.folder ?? []).map((git) => join(git, "objects"));
  const git: GitCall = {
    cwd: shadow.folder,
    env: {
      ...shadow.call.env,
      GIT_WORK_TREE: shadow.folder,
      GIT_INDEX_FILE: join(folder, "patch.index"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.join(":"),
    },
  };
  await runGit(["read-tree", snapshot.parts.find(({ path }) => path === "")?.tree ?? ""], git);
  for (const { path, tree } of inner) {
    // The outer tree contains a submodule as a commit; replace it with the submodule's files.
    await runGit(["update-index", "--force-remove", "--", path.replace(/\/$/, "")], git);
    await runGit(["read-tree", `--prefix=${path}`, tree], git);
  }
  const before = await gitLine(["write-tree"], git);
  await runGit(["apply", "--cached", "--binary", "--whitespace=nowarn", patchFile], git);
  const after = await gitLine(["write-tree"], git);
  const fields = await gitNames(["diff-tree", "-r", "-z", "--no-renames", "--raw", before, after], git);
  const entries: PatchEntry[] = [];
  for (let at = 0; at < fields.length; at += 2)
    entries.push(await readEntry(fields[at] ?? "", fields[at + 1] ?? "", git));
  return { entries, before, after, git };
}

async function readEntry(raw: string, path: string, git: GitCall): Promise<PatchEntry> {
  const [oldMode = "", newMode = "", , id = "", status = ""] = raw.replace(/^:/, "").split(" ");
  if (status === "") throw new GitFailure("diff-tree", `unreadable line: ${raw}`);
  const target =
    newMode === LINK_MODE ? (await runGit(["cat-file", "blob", id], git)).stdout.toString("utf8") : undefined;
  return { path, kind: status === "A" ? "added" : status === "D" ? "deleted" : "changed", oldMode, newMode, target };
}
