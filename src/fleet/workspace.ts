import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../lib/files/make-folder.ts";
import { gitLine, runGit } from "../lib/process/run-git.ts";
import { UserError } from "../lib/text/user-error.ts";

/** The same folder is always the same commit. */
const NOBODY = {
  GIT_AUTHOR_NAME: "signalbox",
  GIT_AUTHOR_EMAIL: "fleet@localhost",
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "signalbox",
  GIT_COMMITTER_EMAIL: "fleet@localhost",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z",
};

const BRANCH = "refs/heads/main";

/**
 * Packs a folder as it is now, without what git ignores, into a bundle of one commit without history. The user's
 * repository is only read.
 */
export async function packWorkspace(root: string, folder: string): Promise<{ bundle: string; commit: string }> {
  makeFolder(folder);
  const scratch = mkdtempSync(join(folder, "pack-"));
  const repository = join(scratch, "git");
  const bundle = join(folder, "workspace.bundle");
  try {
    await runGit(["init", "-q", "--bare", "--object-format=sha1", repository], { cwd: folder });
    const call = { cwd: root, env: { ...NOBODY, GIT_DIR: repository, GIT_WORK_TREE: root } };
    await runGit(["add", "-A", "--", "."], call);
    const tree = await gitLine(["write-tree"], call);
    if ((await gitLine(["ls-tree", "-r", "--full-tree", tree], call)).includes("160000 commit"))
      throw new UserError("a workspace with repositories in it cannot be sent to a fleet", {
        where: root,
        fix: "submit from the inner repository, or have git ignore it",
      });
    const commit = await gitLine(["commit-tree", tree, "-m", "The workspace as it was submitted"], call);
    await runGit(["update-ref", BRANCH, commit], call);
    await runGit(["bundle", "create", "-q", bundle, BRANCH], call);
    return { bundle, commit };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Makes a fresh repository with exactly this commit. Git itself refuses paths that lead out of it. */
export async function unpackWorkspace(bundle: string, commit: string, folder: string): Promise<void> {
  makeFolder(folder);
  const call = { cwd: folder };
  await runGit(["init", "-q", "-b", "main", "--object-format=sha1", "."], call);
  await runGit(["bundle", "unbundle", bundle], call);
  await runGit(["fsck", "--strict", "--no-dangling", commit], call);
  await runGit(["reset", "-q", "--hard", commit], call);
}
