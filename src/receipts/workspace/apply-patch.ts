import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { firstFew } from "../../lib/text/printable.ts";
import { judgeByFloors } from "../../guard/access/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { isInside } from "../../lib/path/inside.ts";
import { type GitCall, GitFailure, gitLine, gitNames, runGit } from "../../lib/process/run-git.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { replaceFiles } from "../../snapshots/replace-files.ts";
import { privateGit } from "../../snapshots/shadow.ts";
import { openSnapshots, type Snapshot, type SnapshotStore } from "../../snapshots/snapshot.ts";

/** The result of a staged run, ready to be applied. */
interface StagedResult {
  /** The workspace that was copied. */
  readonly root: string;
  /** That workspace at the time of the copy. */
  readonly base: Snapshot;
  /** The git folder with the objects of `base`. */
  readonly baseFolder: string;
  readonly patchFile: string;
  /** Receives the changes to protected files. Throws to reject the whole result. */
  readonly confirm: (changes: readonly ProtectedChange[]) => void;
}

/**
 * Applies a staged result to its workspace, all or nothing. Changes only files, never the index or commits.
 * `folder` is for temporary files. Refuses if the workspace has changed since it was copied.
 */
export async function applyPatch(result: StagedResult, folder: string): Promise<void> {
  const { root, base, patchFile } = result;
  const now = openSnapshots(root, folder);
  const current = await now.take();
  if (current.digest !== base.digest) {
    throw new UserError("the workspace has changed since the run started", {
      where: `${root}: ${(await movedFiles(result, current, folder)).join(", ")}`,
      fix: `revert those changes, or review the patch and apply it yourself: git apply ${patchFile}`,
      exitCode: EXIT.refused,
    });
  }
  try {
    const patched = await patchEntries(now, current, patchFile, folder);
    result.confirm(protectedChanges(patched.entries, root, homedir()));
    await replaceFiles({ store: now, snapshot: current, folder, ...patched });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UserError(`the result does not apply: ${error.message}`, {
      where: root,
      fix: `review the patch: ${patchFile}`,
      exitCode: EXIT.refused,
      cause: error,
    });
  }
}

const MAX_NAMED = 10;

async function movedFiles({ root, base, baseFolder }: StagedResult, current: Snapshot, folder: string) {
  const [old, now] = [base, current].map(({ parts }) => parts.find(({ path }) => path === "")?.tree ?? "");
  if (old === now) return ["a repository inside it"];
  const { cwd, env } = privateGit(baseFolder, root);
  const git = { cwd, env: { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(folder, "0.git/objects") } };
  const files = await gitNames(
    ["diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", old ?? "", now ?? ""],
    git,
  );
  return firstFew(files, MAX_NAMED, (more) => `${more} more`);
}

/** A change that the guard would not have allowed an agent to make. */
export interface ProtectedChange {
  readonly path: string;
  readonly because: string;
}

/**
 * The changes in a staged result that violate the guard's floors. In the copy, programs started by the agent could make
 * them.
 */
export function protectedChanges(
  entries: readonly PatchEntry[],
  root: string,
  home: string,
): readonly ProtectedChange[] {
  return entries.flatMap((entry) => {
    const because = objection(entry, entries, root, home);
    return because === undefined ? [] : [{ path: entry.path, because }];
  });
}

function objection(entry: PatchEntry, entries: readonly PatchEntry[], root: string, home: string): string | undefined {
  const { path, kind, oldMode, target } = entry;
  const file = join(root, path);
  // The path itself is replaced, so a link there is not followed.
  const readLink = (at: string) => (at === file ? undefined : realMachine.readLink(at));
  const place = { root, home, readLink };
  const [denied] = judgeByFloors({ access: kind === "deleted" ? "delete" : "write", path: file }, place);
  if (denied !== undefined) return denied.because;
  if (basename(path).toLowerCase() === ".gitattributes") return "it can make git run filters and merge drivers";
  if (target === undefined) return undefined;
  const led = resolve(dirname(file), target);
  if (!isInside(led, root)) return `it is a link out of the workspace, to ${target}`;
  // Whatever is done to the link is done to its target.
  const [behind] = judgeByFloors({ access: "delete", path: led }, { ...place, readLink: realMachine.readLink });
  if (behind !== undefined) return `it is a link to ${target}: ${behind.because}`;
  if (oldMode !== LINK_MODE && kind === "changed") return `a link to ${target} replaces a file`;
  if (entries.some((other) => other.kind === "deleted" && other.path.startsWith(`${path}/`)))
    return `a link to ${target} replaces a folder`;
  return undefined;
}

/** One path that a patch changes. A rename has two entries. */
interface PatchEntry {
  readonly path: string;
  readonly kind: "added" | "deleted" | "changed";
  /** Git file modes; 000000 if the file does not exist. */
  readonly oldMode: string;
  readonly newMode: string;
  /** The link target, if the path becomes a link. */
  readonly target: string | undefined;
}

const LINK_MODE = "120000";

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
async function patchEntries(
  store: SnapshotStore,
  snapshot: Snapshot,
  patchFile: string,
  folder: string,
): Promise<PatchedTrees> {
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
