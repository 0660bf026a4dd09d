import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { headCommit } from "../../backplane/workspace/repository.ts";
import { runGit } from "../../backplane/workspace/run-git.ts";
import { openShadow } from "../../backplane/workspace/shadow.ts";
import { gitTop } from "../../lib/git-top.ts";

const MOST_MS = 30_000;

/** Changes inside a submodule are left out: to see them, git would run under the submodule's own settings. */
const STATUS = "status --porcelain=v1 -z --untracked-files=all --no-renames --ignore-submodules=dirty".split(" ");

interface Place {
  readonly workspace: string;
  /** Where no command can write, for a git folder of our own. */
  readonly privateFolder: string;
}

/**
 * A text that differs when the work tree does: its commit, what git calls changed, and when those files were touched.
 * Undefined where there is no git to ask. Git looks with settings of ours, so that the repository's start no program.
 */
export async function fingerprint(place: Place, signal: AbortSignal): Promise<string | undefined> {
  if (gitTop(place.workspace) === undefined) return undefined;
  const folder = mkdtempSync(join(place.privateFolder, "look-"));
  try {
    return await look(place.workspace, join(folder, "git"), AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function look(workspace: string, folder: string, signal: AbortSignal): Promise<string | undefined> {
  const { call, repository } = await openShadow(workspace, folder);
  if (repository === undefined) return undefined;
  const head = await headCommit({ cwd: workspace, signal });
  if (head !== undefined) writeFileSync(join(folder, "HEAD"), `${head}\n`);
  const status = (await runGit(STATUS, { ...call, signal })).stdout.toString("utf8");
  const hash = createHash("sha256")
    .update(`${head ?? "no commit"}\n`)
    .update(status);
  for (const entry of status.split("\0").filter((text) => text !== "")) {
    const stat = lstatSync(join(repository.top, entry.slice(3)), { throwIfNoEntry: false });
    hash.update(`${stat?.size ?? -1} ${stat?.mtimeMs ?? 0}\n`);
  }
  return hash.digest("hex");
}
