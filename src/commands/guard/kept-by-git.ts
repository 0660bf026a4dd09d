import { lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { runGitBriefly } from "../../lib/run-git.ts";

const GIT_MS = 200;
const STAGED = /^100[67]\d\d ([0-9a-f]+) 0\t/;

/**
 * True when git's index has exactly the present content of a file, so that `git restore` brings it back. Undefined for
 * everything else, also for folders. For use without a session, whose snapshot knows more.
 */
export function keptByGit(path: string): true | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const git = (...args: readonly string[]) =>
    runGitBriefly(["--literal-pathspecs", ...args, "--", basename(path)], { cwd: dirname(path) }, GIT_MS)?.toString();
  const [, staged] = STAGED.exec(git("ls-files", "--stage", "-z") ?? "") ?? [];
  // Without filters, which the repository could name; a file that needs one counts as unknown.
  return staged !== undefined && git("hash-object", "--no-filters")?.trim() === staged ? true : undefined;
}
