import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const LIMITS = { timeout: 30_000, maxBuffer: 64 * 1024 * 1024 };
/** Settings of a repository that would let it start programs of its own. */
const HARMLESS = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];

/**
 * A text that differs when the work tree does: its commit, what git calls changed, and when those files were touched.
 * Undefined where there is no git to ask.
 */
export async function fingerprint(folder: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const git = async (...args: readonly string[]) =>
      (await run("git", [...HARMLESS, "-C", folder, ...args], { ...LIMITS, signal })).stdout;
    const head = await git("rev-parse", "--verify", "-q", "HEAD").catch(() => "no commit");
    const status = await git("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames");
    const hash = createHash("sha256").update(head).update(status);
    for (const entry of status.split("\0")) {
      const stat = lstatSync(join(folder, entry.slice(3)), { throwIfNoEntry: false });
      hash.update(`${stat?.size ?? -1} ${stat?.mtimeMs ?? 0}\n`);
    }
    return hash.digest("hex");
  } catch {
    return undefined;
  }
}
