import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { EXIT, UserError } from "../lib/user-error.ts";
import type { Agent } from "./agent.ts";

/** Stands in the first lines of our own `copilot` shim, so that a launch never starts signalbox again. */
const MOST_LINKS = 32;

const SHIM_MARK = "signalbox-shim";

/** The setting that names an agent's program, for example SIGNALBOX_CLAUDE_BINARY. */
const binaryVariable = (agent: Agent) => `SIGNALBOX_${agent.name.toUpperCase()}_BINARY`;

export interface FoundBinary {
  readonly path: string;
  readonly real: string;
  readonly from: "setting" | "PATH" | "known place";
}

/**
 * The agent's program: the explicit setting, else PATH, else the known places.
 * A setting that does not hold is an error, never the next place. A program that anyone could replace is refused.
 */
export function findBinary(agent: Agent, env: NodeJS.ProcessEnv): FoundBinary {
  const setting = env[binaryVariable(agent)];
  if (setting !== undefined && setting !== "") return checked(agent, { path: setting, from: "setting" });

  // A relative entry of PATH means the folder of the moment, which may be anybody's.
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const candidates = [
    ...folders.map((folder) => ({ path: join(folder, agent.binary), from: "PATH" as const })),
    ...knownPlaces(agent, env).map((folder) => ({ path: join(folder, agent.binary), from: "known place" as const })),
  ];
  const files = candidates.filter(({ path }) => isFile(path) && !isShim(path));
  const first = files.find(({ path }) => isExecutable(path)) ?? files[0];
  if (first !== undefined) return checked(agent, first);

  throw new UserError(`${agent.title} is not installed: no '${agent.binary}' was found`, {
    where: `${binaryVariable(agent)} (not set), PATH (${folders.length} folders), ${agent.knownPlaces.join(", ")}`,
    fix: `${agent.install}; or set ${binaryVariable(agent)} to its path`,
    exitCode: EXIT.notFound,
  });
}

function checked(agent: Agent, found: Omit<FoundBinary, "real">): FoundBinary {
  const where = found.path;
  const refuse = (what: string, fix: string, exitCode: number = EXIT.notRunnable) =>
    new UserError(`${agent.title}: ${what}`, { where, fix, exitCode });

  if (!isAbsolute(found.path))
    throw refuse("its setting is not an absolute path", `set ${binaryVariable(agent)} to a full path`);
  if (!isFile(found.path))
    throw refuse("there is no such program", `correct ${binaryVariable(agent)}, or unset it`, EXIT.notFound);
  if (isShim(found.path))
    throw refuse("this is signalbox's own shim", `set ${binaryVariable(agent)} to the real program`);
  if (!isExecutable(found.path))
    throw refuse("the program is not executable", `chmod +x it, or install it again: ${agent.install}`);
  const real = realpathSync(found.path);
  const loose = linkHops(found.path).flatMap(withFolders).find(anyoneMayWrite);
  if (loose !== undefined)
    throw refuse(`anyone on this machine may change ${loose}`, `chmod o-w ${loose}, after checking what it holds`);
  return { ...found, real };
}

function knownPlaces(agent: Agent, env: NodeJS.ProcessEnv): string[] {
  const home = env["HOME"] ?? "";
  return agent.knownPlaces
    .filter((place) => !place.startsWith("~") || isAbsolute(home))
    .map((place) => (place.startsWith("~") ? join(home, place.slice(1)) : place));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path, and every path that links lead to from it. */
function linkHops(path: string): string[] {
  const hops = [path];
  for (let at = path; lstatSync(at).isSymbolicLink() && hops.length < MOST_LINKS; hops.push(at)) {
    at = resolve(dirname(at), readlinkSync(at));
  }
  return [...hops, realpathSync(path)];
}

/** A path and all the folders above it: whoever may write one of them may put another program in place. */
function withFolders(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...withFolders(dirname(path))];
}

/** A sticky folder such as /tmp does not let others replace our file. The mode of a link says nothing. */
function anyoneMayWrite(path: string): boolean {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return false;
  const sticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0;
  return (stat.mode & 0o002) !== 0 && !sticky;
}

function isShim(path: string): boolean {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const head = Buffer.alloc(256);
      return head.toString("latin1", 0, readSync(file, head)).includes(SHIM_MARK);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
