import { homedir } from "node:os";
import { join } from "node:path";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { patchEntries } from "./patch-entries.ts";
import { type ProtectedChange, protectedChanges } from "./protected-changes.ts";
import { gitNames, GitFailure } from "../../lib/run-git.ts";
import { replaceFiles } from "../../snapshots/replace-files.ts";
import { privateGit } from "../../snapshots/shadow.ts";
import { openSnapshots, type Snapshot } from "../../snapshots/snapshot.ts";

/** The result of a staged run, ready to be applied. */
export interface StagedResult {
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
    const place = { store: now, snapshot: current, folder };
    const patched = await patchEntries({ ...place, patchFile });
    result.confirm(protectedChanges(patched.entries, { root, home: homedir() }));
    await replaceFiles({ ...place, ...patched });
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
  return files.length > MAX_NAMED ? [...files.slice(0, MAX_NAMED), `${files.length - MAX_NAMED} more`] : files;
}
