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
  const before = headCommit({ cwd: root }).then(
    (commit) => commit ?? "none",
    () => undefined,
  );
  return {
    async end() {
      const [first, last] = await Promise.all([before, cleanCommit(root)]);
      return first === undefined || first === last ? undefined : last;
    },
  };
}

/** Undefined if something is not committed; what git ignores does not count. */
async function cleanCommit(root: string): Promise<string | undefined> {
  try {
    const { stdout } = await runGit(["status", "--porcelain=v2", "--branch", "-unormal"], { cwd: root });
    const lines = stdout.toString("utf8").split("\n");
    const isClean = lines.every((line) => line === "" || line.startsWith("# "));
    return isClean ? /^# branch\.oid ([0-9a-f]{40,64})$/m.exec(lines.join("\n"))?.[1] : undefined;
  } catch {
    return undefined;
  }
}
