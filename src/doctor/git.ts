import type { CheckResult } from "./check.ts";
import { workspaceFolders } from "../agents/workspace-folders.ts";
import { firstLine } from "../launch/first-line.ts";
import { findProgram } from "../lib/find-program.ts";
import { safePath } from "../lib/safe-path.ts";

/** The git that our own calls use, which never comes from the repository. */
export async function checkGit(cwd: string, env: NodeJS.ProcessEnv): Promise<CheckResult> {
  const path = safePath(env, ...workspaceFolders([cwd], env));
  const program = findProgram("git", path);
  const version = program === undefined ? undefined : await firstLine(program, ["--version"], { ...env, PATH: path });
  if (version !== undefined) return { id: "git", status: "ok", summary: version };
  return {
    id: "git",
    status: "warn",
    summary: "git not found",
    fix: "install git (needed for workspaces and receipts)",
  };
}
