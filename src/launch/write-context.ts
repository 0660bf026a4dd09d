import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { AGENT_VARIABLES, CONTEXT_FILE } from "../agents/active-agent.ts";
import type { AgentName, LauncherContext } from "../contract/agent.ts";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { errorCode, messageOf } from "../lib/text/user-error.ts";
import { gitTop } from "../lib/path/workspace.ts";
import { isInside } from "../lib/path/inside.ts";
import { readBounded } from "../lib/files/read-file.ts";

const EXCLUDE_LINE = `/${CONTEXT_FILE}*`;
const MAX_EXCLUDE_BYTES = 1024 * 1024;
const MAX_CONTEXT_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;
const STALE_TEMPORARY_MS = 60_000;

/**
 * Records the agent at the top of the repository, so that any later process finds it without environment variables.
 * Returns warnings instead of failing, because an unwritable folder must not prevent the launch.
 */
export function writeLauncherContext(agent: AgentName, cwd: string, version: string): string[] {
  try {
    const folder = realpathSync(cwd);
    const top = gitTop(folder);
    const path = join(top?.folder ?? folder, CONTEXT_FILE);
    const outside = makeFolder(top?.folder ?? folder, dirname(CONTEXT_FILE));
    if (outside !== undefined)
      return [`${outside} is a link out of the repository, so the active agent is not recorded`];
    sweepTemporaries(path);
    atomicWrite(path, `${JSON.stringify(contextOf(agent, version), null, 2)}\n`);
    return top?.commonFolder === undefined ? [] : exclude(join(top.commonFolder, "info", "exclude"));
  } catch (error) {
    return [`the active agent is not recorded in ${CONTEXT_FILE} (${reason(error)})`];
  }
}

/** The record in the repository of `cwd`, if signalbox wrote it. `remove` also removes its folders if they are empty. */
export function writtenContext(cwd: string): { readonly path: string; readonly remove: () => void } | undefined {
  const folder = realpathSync(cwd);
  const top = gitTop(folder);
  const path = join(top?.folder ?? folder, CONTEXT_FILE);
  if (!isOurs(path, top?.folder ?? folder)) return undefined;
  return {
    path,
    remove() {
      rmSync(path, { force: true });
      for (const left of [dirname(path), dirname(dirname(path))]) if (readdirSync(left).length === 0) rmdirSync(left);
      const excludes = join(top?.commonFolder ?? "", "info", "exclude");
      if (top?.commonFolder === undefined || !existsSync(excludes)) return;
      const text = readBounded(excludes, MAX_EXCLUDE_BYTES).bytes.toString("latin1");
      const rest = Buffer.from(text.replace(`${EXCLUDE_LINE}\n`, ""), "latin1");
      if (rest.length < text.length) atomicWrite(excludes, rest, statSync(excludes).mode & 0o777);
    },
  };
}

function isOurs(path: string, top: string): boolean {
  try {
    const record: unknown = parseJson(readBounded(path, MAX_CONTEXT_BYTES).bytes.toString("utf8"));
    return isRecord(record) && typeof record["signalbox"] === "string" && isInside(realpathSync(path), top);
  } catch {
    return false;
  }
}

const reason = (error: unknown) => errorCode(error) ?? messageOf(error);

/** Creates the folders one by one, so that none is created behind a link out of the repository. Returns such a link. */
function makeFolder(top: string, relative: string): string | undefined {
  let at = top;
  for (const part of relative.split(sep)) {
    at = join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false }) === undefined) mkdirSync(at, { recursive: true });
    if (!isInside(realpathSync(at), top)) return at;
  }
  return undefined;
}

function contextOf(agent: AgentName, version: string): LauncherContext {
  return {
    launcher: agent,
    command: `signalbox ${agent}`,
    timestamp: new Date().toISOString(),
    environment: Object.fromEntries(AGENT_VARIABLES.map((variable) => [variable, agent])),
    pid: process.pid,
    signalbox: version,
  };
}

/**
 * Keeps the file out of `git status`. Rewrites the whole file, so that many concurrent writers still leave only one
 * line. Works on bytes, because the user's own lines may be in any encoding.
 */
function exclude(path: string): string[] {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isFile()) throw new Error("it is not a regular file");
    const old = stat === undefined ? Buffer.alloc(0) : readBounded(path, MAX_EXCLUDE_BYTES).bytes;
    if (old.toString("latin1").split("\n").includes(EXCLUDE_LINE)) return [];
    mkdirSync(dirname(path), { recursive: true });
    const separator = old.length === 0 || old.at(-1) === LINE_FEED ? "" : "\n";
    const added = Buffer.from(`${separator}${EXCLUDE_LINE}\n`);
    const mode = stat === undefined ? 0o644 : stat.mode & 0o777;
    atomicWrite(path, Buffer.concat([old, added]), mode);
    // The umask counts for a new file, and would take rights away from one that was there.
    if (stat !== undefined) chmodSync(path, mode);
    return [];
  } catch (error) {
    return [`git status will show ${CONTEXT_FILE}: cannot change ${path} (${reason(error)})`];
  }
}

/** Removes temporary files of a writer that was killed halfway. */
function sweepTemporaries(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".tmp")) continue;
    const temporary = join(dirname(path), name);
    const writtenAt = statSync(temporary, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - writtenAt > STALE_TEMPORARY_MS) rmSync(temporary, { force: true });
  }
}
