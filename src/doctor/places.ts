import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leaveRunsFolder, openRunsFolder } from "../launch/run-folder.ts";
import { errorCode } from "../lib/error-code.ts";
import { isInsideSession } from "../lib/inside-session.ts";
import type { CheckResult } from "./check.ts";

/** The folders that signalbox writes to. */
export function checkPlaces(home: string, env: NodeJS.ProcessEnv): CheckResult[] {
  return [checkHome(home, isInsideSession(env)), checkRuns(env)];
}

function checkHome(home: string, readOnly: boolean): CheckResult {
  const id = "places.home";
  try {
    if (!existsSync(home) && !readOnly) mkdirSync(home, { mode: 0o700 });
    // With a trailing slash, because a writable file is not a home.
    accessSync(`${home}/`, constants.W_OK);
    if (!readOnly) tryToWrite(home);
    return { id, status: "ok", summary: `${home} is writable` };
  } catch (error) {
    const code = errorCode(error) ?? "unknown";
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    const state = isFull ? `the disk of ${home} is full (${code})` : `${home} cannot be written (${code})`;
    return {
      id,
      status: "warn",
      summary: `${state}: agents start, but every tool call is denied because it cannot be recorded; run and native do not start`,
      fix: `${isFull ? "free some space there" : "make it writable"}, or set SIGNALBOX_HOME to a folder you own`,
    };
  }
}

/** A full disk is only noticed by writing. */
function tryToWrite(home: string): void {
  const file = join(home, `doctor-${process.pid}`);
  try {
    writeFileSync(file, "x".repeat(PROBE_BYTES), { mode: 0o600, flag: "wx" });
  } finally {
    rmSync(file, { force: true });
  }
}

const PROBE_BYTES = 16_384;

function checkRuns(env: NodeJS.ProcessEnv): CheckResult {
  const folder = openRunsFolder(env);
  if (folder !== undefined) {
    leaveRunsFolder(env, folder);
    return { id: "places.runs", status: "ok", summary: `${folder} is private` };
  }
  return {
    id: "places.runs",
    status: "fail",
    summary: `neither XDG_RUNTIME_DIR nor ${tmpdir()} provides a private folder, so leftovers of a killed signalbox are not cleaned up`,
    fix: "set XDG_RUNTIME_DIR or TMPDIR to a folder only you can access",
  };
}
