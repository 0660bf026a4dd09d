import type { CheckResult } from "./check.ts";
import { firstLine } from "../launch/first-line.ts";

export async function checkGit(env: NodeJS.ProcessEnv): Promise<CheckResult> {
  const version = await firstLine("git", ["--version"], env);
  if (version !== undefined) return { id: "git", status: "ok", summary: version };
  return {
    id: "git",
    status: "warn",
    summary: "git was not found",
    fix: "install git: workspaces and receipts need it",
  };
}
