import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { workspaceFolders } from "../../agents/search-path.ts";
import { launchesFolder } from "../../hooks/server-protocol.ts";
import { firstLine } from "../../launch/binary-identity.ts";
import { leaveRunsFolder, openRunsFolder } from "../../launch/run-folder.ts";
import { findProgram } from "../../lib/path/find-program.ts";
import { safePath } from "../../lib/path/inside.ts";
import { ownerLife } from "../../lib/process/folder-owner.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { knownRuns, runLife } from "../../receipts/run/known-runs.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import type { CheckResult, Examined } from "./check.ts";

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

/** The git that our own calls use, which never comes from the repository. */
export async function checkGit({ cwd, env }: Examined): Promise<CheckResult> {
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

/** Work in this home that may still be running somewhere we cannot see. It is therefore not ended or removed. */
export function checkElsewhere(home: string): CheckResult {
  const id = "elsewhere";
  const runs = openRuns(home);
  const folders = [launchesFolder(home), commandMarks(home)].flatMap(unclearIn);
  if (runs.length + folders.length === 0)
    return { id, status: "ok", summary: "nothing here may be in use by a signalbox elsewhere" };
  const what = [
    ...(runs.length === 0 ? [] : [`runs ${runs.join(", ")}`]),
    ...(folders.length === 0 ? [] : [`folders ${folders.join(", ")}`]),
  ];
  const ways = [
    ...(runs.length === 0 ? [] : ["signalbox cancel RUN --gone"]),
    ...(folders.length === 0 ? [] : ["rm -r FOLDER"]),
  ];
  return {
    id,
    status: "warn",
    summary: `left alone because another machine, container or older signalbox may still be using it: ${what.join("; ")}`,
    fix: `once you know it has ended: ${ways.join(", ")}`,
  };
}

function openRuns(home: string): readonly string[] {
  try {
    return knownRuns(home)
      .filter((run) => run.end === undefined && runLife(run) === "unknown")
      .map(({ header }) => header.run_id);
  } catch {
    // An unreadable home is reported by its own check.
    return [];
  }
}

const unclearIn = (parent: string): readonly string[] =>
  namesIn(parent)
    .map((name) => join(parent, name))
    .filter((folder) => ownerLife(folder) === "unknown");

const NEEDED_MAJOR = 24;

/** The Node version we run on, and whether we run from sources or from the bundle. */
export function checkRuntime(): CheckResult {
  const major = Number(process.versions.node.split(".")[0]);
  const own = process.execPath.includes(`${sep}node_modules${sep}node-`);
  const form = import.meta.filename.endsWith(".ts") ? "sources" : "bundle";
  return {
    id: "runtime",
    status: major >= NEEDED_MAJOR ? "ok" : "fail",
    summary: `Node ${process.versions.node} (${own ? "our own" : "the system's"}), running the ${form}`,
    facts: { node: process.versions.node, form },
    ...(major >= NEEDED_MAJOR ? {} : { fix: `use Node ${NEEDED_MAJOR} or newer` }),
  };
}
