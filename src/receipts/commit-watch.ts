import { headCommit, runGit } from "../lib/process/run-git.ts";

/** Finds out on which commit a session ends. */
export interface CommitWatch {
  /**
   * The checked-out commit, if it is another one than at the start and the workspace has nothing beside it. Undefined
   * also where git cannot tell.
   */
  readonly end: () => Promise<string | undefined>;
}

/** Looks at the commit now, without waiting for it. */
export function watchCommit(root: string): CommitWatch {
  const before = checkedOut(root);
  return {
    async end() {
      const [first, last] = await Promise.all([before, checkedOut(root)]);
      // Most sessions make none, and looking for changes takes long in a large workspace.
      if (first === undefined || last === undefined || last === first || last === NONE) return undefined;
      return (await isClean(root)) ? last : undefined;
    },
  };
}

const NONE = "none";

/** Undefined where git cannot tell. */
const checkedOut = (root: string): Promise<string | undefined> =>
  headCommit({ cwd: root }).then(
    (commit) => commit ?? NONE,
    () => undefined,
  );

async function isClean(root: string): Promise<boolean> {
  try {
    const { stdout } = await runGit(["status", "--porcelain", "-unormal"], { cwd: root });
    return stdout.length === 0;
  } catch {
    return false;
  }
}
