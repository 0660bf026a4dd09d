import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { runsFolders } from "../launch/run-folder.ts";
import { errorCode } from "../lib/error-code.ts";
import type { CheckResult } from "./check.ts";

/** The folders that signalbox writes to. */
export function checkPlaces(home: string, env: NodeJS.ProcessEnv): CheckResult[] {
  return [checkHome(home), checkRuns(env)];
}

function checkHome(home: string): CheckResult {
  const id = "places.home";
  try {
    if (!existsSync(home)) mkdirSync(home, { mode: 0o700 });
    // With a trailing slash, because a writable file is not a home.
    accessSync(`${home}/`, constants.W_OK);
    return { id, status: "ok", summary: `${home} is writable` };
  } catch (error) {
    const summary = `${home} cannot be written (${errorCode(error) ?? "unknown"}): nothing can be stored between runs`;
    return { id, status: "warn", summary, fix: "set HOME or SIGNALBOX_HOME to a folder you own" };
  }
}

function checkRuns(env: NodeJS.ProcessEnv): CheckResult {
  const folder = runsFolders(env)[0];
  if (folder !== undefined) return { id: "places.runs", status: "ok", summary: `${folder} is private` };
  return {
    id: "places.runs",
    status: "fail",
    summary: `neither XDG_RUNTIME_DIR nor ${tmpdir()} provides a private folder, so leftovers of a killed signalbox are not cleaned up`,
    fix: "set XDG_RUNTIME_DIR or TMPDIR to a folder only you can access",
  };
}
