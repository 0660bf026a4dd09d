import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { EXIT, UserError } from "../lib/user-error.ts";
import type { Mount } from "./mount.ts";

/** Parts of a repository that run code or redirect git. All but the config are optional. */
const READ_ONLY_PARTS = ["config", "config.worktree", "modules"];

/**
 * What a command may do to a workspace's repository: git's own records are writable, hooks and settings are not. A
 * linked worktree stores these records outside; they are opened only if they point back to this workspace.
 */
export function gitMounts(workspace: string, mayCommit: boolean): readonly Mount[] {
  const entry = join(workspace, ".git");
  const stat = lstatSync(entry, { throwIfNoEntry: false });
  if (stat === undefined) return [{ kind: "empty-folder", path: entry }];
  if (stat.isSymbolicLink())
    throw new UserError("the sandbox cannot protect a repository behind a link", {
      where: entry,
      fix: "work in the repository's real folder, or set sandbox: off in the policy",
      exitCode: EXIT.refused,
    });
  if (!mayCommit) return [{ kind: "read-only", path: entry }];
  if (stat.isDirectory()) return [{ kind: "writable", path: entry }, ...readOnlyMounts(entry)];
  return [{ kind: "read-only", path: entry }, ...linkedMounts(entry)];
}

/**
 * Files that do not exist in the workspace's `.git` folder and must not be created, because git would read settings
 * from them. They cannot be mounted over, because git fails on a folder in their place, so we check for them after each
 * command.
 */
export const unwantedFiles = (workspace: string): readonly string[] =>
  ["commondir", "config.worktree"].map((name) => join(workspace, ".git", name)).filter((path) => !existsSync(path));

function readOnlyMounts(folder: string): readonly Mount[] {
  const hooks = join(folder, "hooks");
  const present = READ_ONLY_PARTS.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return [
    { kind: existsSync(hooks) ? "read-only" : "empty-folder", path: hooks },
    ...present.map((path): Mount => ({ kind: "read-only", path })),
  ];
}

function linkedMounts(entry: string): readonly Mount[] {
  try {
    const own = realpathSync(resolve(dirname(entry), readLine(entry).replace(/^gitdir: /, "")));
    const common = realpathSync(resolve(own, readLine(join(own, "commondir"))));
    const pointsBack = realpathSync(readLine(join(own, "gitdir"))) === realpathSync(entry);
    if (!pointsBack || basename(common) !== ".git" || dirname(own) !== join(common, "worktrees")) return [];
    return [
      { kind: "writable", path: common },
      ...readOnlyMounts(common),
      { kind: "read-only", path: dirname(own) },
      { kind: "writable", path: own },
      ...["commondir", "gitdir", "config.worktree"]
        .map((name) => join(own, name))
        .filter((path) => existsSync(path))
        .map((path): Mount => ({ kind: "read-only", path })),
    ];
  } catch {
    // Not a worktree that git created, so its records stay read-only.
    return [];
  }
}

const readLine = (path: string) => readFileSync(path, "utf8").trim();
