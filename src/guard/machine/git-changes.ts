import { runGitBriefly } from "../../lib/run-git.ts";

const GIT_MS = 200;

/** Never looks at the work tree, for which git would run filters that the repository names. */
const CHANGES = "diff-tree -r -m --root --no-commit-id --name-only -z --no-renames --no-ext-diff --no-textconv".split(
  " ",
);

/** See `Machine.gitChanges`. A separate part, which the hook loads only for a checkout in a sandbox. */
export function gitChanges(folder: string, revisions: readonly string[]): readonly string[] | undefined {
  return runGitBriefly([...CHANGES, ...revisions, "--"], { cwd: folder }, GIT_MS)
    ?.toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}
