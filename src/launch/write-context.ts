import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { CONTEXT_FILE } from "../agents/launcher-context.ts";
import { AGENT_VARIABLES } from "../agents/resolve.ts";
import type { AgentName } from "../contract/agent.ts";
import type { LauncherContext } from "../contract/launcher-context.ts";
import { atomicWrite } from "../lib/atomic-write.ts";
import { errorCode } from "../lib/error-code.ts";
import { gitTop } from "../lib/git-top.ts";
import { isInside } from "../lib/inside.ts";

const EXCLUDE_LINE = `/${CONTEXT_FILE}*`;
const STALE_TEMPORARY_MS = 60_000;

/**
 * Leaves word of the agent at the top of the repository, so that any later process finds it without environment.
 * Returns a warning instead of failing: a folder that cannot be written must not stop the launch.
 */
export function writeLauncherContext(agent: AgentName, cwd: string, version: string): string | undefined {
  try {
    const folder = realpathSync(cwd);
    const top = gitTop(folder);
    const path = join(top?.folder ?? folder, CONTEXT_FILE);
    const outside = makeFolder(top?.folder ?? folder, dirname(CONTEXT_FILE));
    if (outside !== undefined) return `${outside} is a link out of the repository: the active agent is not recorded`;
    if (top?.commonFolder !== undefined) exclude(top.commonFolder);
    sweepTemporaries(path);
    atomicWrite(path, `${JSON.stringify(contextOf(agent, version), null, 2)}\n`);
    return undefined;
  } catch (error) {
    return `the active agent is not recorded in ${CONTEXT_FILE} (${errorCode(error) ?? String(error)})`;
  }
}

/** Makes the folders one by one, so that none is made behind a link that leads out. Returns such a link. */
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

/** Keeps the file out of `git status`. Rewriting the whole file makes fifty writers at once leave one line. */
function exclude(commonFolder: string): void {
  const path = join(commonFolder, "info", "exclude");
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) return;
  const text = stat === undefined ? "" : readFileSync(path, "utf8");
  if (text.split("\n").includes(EXCLUDE_LINE)) return;
  mkdirSync(dirname(path), { recursive: true });
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  atomicWrite(path, `${text}${separator}${EXCLUDE_LINE}\n`, stat === undefined ? 0o644 : stat.mode & 0o777);
}

/** Temporaries of a writer that was killed half-way. */
function sweepTemporaries(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".tmp")) continue;
    const temporary = join(dirname(path), name);
    const written = statSync(temporary, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - written > STALE_TEMPORARY_MS) rmSync(temporary, { force: true });
  }
}
