import { statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fileFingerprint } from "../lib/files/file-state.ts";
import { readHead } from "../lib/files/read-file.ts";
import { isExecutable, isFile, isFolder } from "../lib/path/find-program.ts";
import { linkHops } from "../lib/path/real-path.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import type { Agent } from "./pack/agent.ts";
import {
  type Found,
  isInWorkspace,
  loosePath,
  searchPath,
  type ProgramSearch,
  workspaceFolders,
} from "./search-path.ts";

/** Marks our own `copilot` shim in its first lines, so that a launch never starts signalbox again. */
const SHIM_MARK = "signalbox-shim";

/** The variable that sets the path of an agent's program, for example SIGNALBOX_CLAUDE_BINARY. */
const binaryVariable = (agent: Agent) => `SIGNALBOX_${agent.name.toUpperCase()}_BINARY`;

interface Candidate {
  readonly path: string;
  readonly from: "setting" | "PATH" | "known place";
}

export interface FoundBinary extends Candidate {
  readonly real: string;
  /** The command before the agent's own arguments: the program itself, or its interpreter and then the program. */
  readonly words: readonly [string, ...string[]];
  /** Programs that were skipped, for the user. */
  readonly warnings: readonly string[];
}

/** Folders not to use programs from: those that the agent works in, and the rest of the repository. */
interface Search {
  readonly agent: Agent;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly avoid: readonly string[];
}

/**
 * Finds the agent's program: the explicit setting, then PATH, then the known places. An invalid setting is an error, not
 * a reason to try the next place. A program that anyone could replace is refused. One inside the workspace may come from
 * the repository or an agent, so it is skipped, and refused if there is no other; only the setting allows it.
 */
export function findBinary(agent: Agent, env: NodeJS.ProcessEnv, workedIn: readonly string[]): FoundBinary {
  const search = { agent, env, cwd: workedIn[0] ?? "/", avoid: workspaceFolders(workedIn, env) };
  const setting = env[binaryVariable(agent)];
  if (setting !== undefined && setting !== "") return checked(search, { path: setting, from: "setting" });

  // A relative PATH entry depends on the current folder, which anybody may control.
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const candidates = [
    ...folders.map((folder) => ({ path: join(folder, agent.binary), from: "PATH" as const })),
    ...knownPlaces(agent, env).map((folder) => ({ path: join(folder, agent.binary), from: "known place" as const })),
  ];
  const files = candidates.filter(({ path }) => isFile(path) && !isShim(path));
  const runnable = files.filter(({ path }) => isExecutable(path));
  const index = runnable.findIndex(({ path }) => !isInWorkspace(path, search.avoid));
  const planted = (index === -1 ? runnable : runnable.slice(0, index)).map(({ path }) => path);
  const first = index === -1 ? undefined : runnable[index];
  if (first !== undefined) return checked(search, first, planted);
  if (planted[0] !== undefined) throw insideWorkspace(agent, planted[0]);
  if (files[0] !== undefined) return checked(search, files[0]);

  throw new UserError(`${agent.title} is not installed: no '${agent.binary}' was found`, {
    where: `${binaryVariable(agent)} (not set), PATH (${folders.length} folders), ${agent.knownPlaces.join(", ")}`,
    fix: `${agent.install}; or set ${binaryVariable(agent)} to its path`,
    exitCode: EXIT.notFound,
  });
}

function checked(search: Search, found: Candidate, planted: readonly string[] = []): FoundBinary {
  const { agent } = search;
  const where = found.path;
  const refuse = (what: string, fix: string, exitCode: number = EXIT.notRunnable) =>
    new UserError(`${agent.title}: ${what}`, { where, fix, exitCode });

  if (!isAbsolute(found.path))
    throw refuse("it is not set to an absolute path", `set ${binaryVariable(agent)} to a full path`);
  if (isFolder(found.path))
    throw refuse("it is set to a folder", `set ${binaryVariable(agent)} to the program, or unset it`);
  if (!isFile(found.path))
    throw refuse("no such program", `correct ${binaryVariable(agent)}, or unset it`, EXIT.notFound);
  const head = readHead(found.path);
  if (head.includes(SHIM_MARK))
    throw refuse("this is signalbox's own shim", `set ${binaryVariable(agent)} to the real program`);
  if (!isExecutable(found.path))
    throw refuse("the program is not executable", `chmod +x it, or reinstall it: ${agent.install}`);
  if (!isProgram(head, found.path))
    throw refuse("not an executable program", `it is empty or damaged; reinstall it: ${agent.install}`);
  const hops = linkHops(found.path);
  const loose = loosePath(hops);
  if (loose !== undefined)
    throw refuse(`anyone on this machine can change ${loose}`, `chmod o-w ${loose}, after checking its contents`);
  const start = startOf(search, found);
  const warnings = [...planted, ...start.passedOver].map(
    (path) => `skipped ${path}: it is inside the workspace and could come with the repository`,
  );
  return { ...found, real: hops.at(-1) ?? found.path, words: start.words, warnings };
}

/** A program inside the workspace that the user named explicitly is started directly. */
function startOf({ agent, env, cwd, avoid }: Search, { path, from }: Candidate): StartWords {
  if (from === "setting" && isInWorkspace(path, avoid)) return { words: [path], passedOver: [] };
  const start = safeStart(path, { env, cwd, avoid });
  if (!("inside" in start)) return start;
  throw new UserError(`${agent.title}: its interpreter is inside the workspace`, {
    where: `${start.inside}, for ${path}`,
    fix: "remove that folder from PATH, or install the interpreter outside the workspace",
    exitCode: EXIT.refused,
  });
}

function insideWorkspace(agent: Agent, path: string): UserError {
  return new UserError(`${agent.title}: will not start a program inside the workspace as the agent`, {
    where: path,
    fix: `if that is intended, set ${binaryVariable(agent)} to it; otherwise install the agent elsewhere: ${agent.install}`,
    exitCode: EXIT.refused,
  });
}

function knownPlaces(agent: Agent, env: NodeJS.ProcessEnv): string[] {
  const home = env["HOME"] ?? "";
  return agent.knownPlaces
    .filter((place) => !place.startsWith("~") || isAbsolute(home))
    .map((place) => (place.startsWith("~") ? join(home, place.slice(1)) : place));
}

/** The system runs unknown formats with /bin/sh, which accepts an empty file. */
function isProgram(head: string, path: string): boolean {
  if (head === "") return statSync(path).size > 0;
  return PROGRAM.test(head);
}

/** A script with a shebang, an ELF file with a complete header, or a Mach-O file. */
const PROGRAM =
  /^(?:#![ \t]*[^\s]|\x7fELF[^]{60}|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba[\xbe\xbf]|[\xbe\xbf]\xba\xfe\xca)/;

const isShim = (path: string) => readHead(path).includes(SHIM_MARK);

/** The program behind a launcher script, if there is one. */
export function nativeProgram(agent: Agent, binary: FoundBinary): string | undefined {
  return agent.nativeProgram?.map((place) => resolve(dirname(binary.real), place)).find(isFile);
}

/** Changes whenever the agent's program changes: the launcher script, or the program behind it. */
export function programFingerprint(agent: Agent, binary: FoundBinary): string {
  const native = nativeProgram(agent, binary);
  return [binary.real, ...(native === undefined ? [] : [native])].map(fileFingerprint).join(" ");
}

/** How to start a program so that no interpreter inside the workspace runs it. */
interface StartWords {
  readonly words: readonly [string, ...string[]];
  /** Interpreters that come first in PATH, but are inside the workspace. */
  readonly passedOver: readonly string[];
}

/** The only available interpreter is inside the workspace. */
interface NoStart {
  readonly inside: string;
}

/** The system follows this many interpreters. */
const MAX_DEEP = 4;

/**
 * The words that start a program. A script whose shebang uses `env` gets the first interpreter in PATH that is outside the
 * workspace; any other program is started directly, with one word.
 */
function safeStart(program: string, place: ProgramSearch, depth = 0): StartWords | NoStart {
  const asItIs: StartWords = { words: [program], passedOver: [] };
  const interpreter = place.avoid.length === 0 || depth > MAX_DEEP ? undefined : interpreterOf(program, place);
  if (interpreter === undefined) return asItIs;
  const { path, passedOver, flags } = interpreter;
  if (path === undefined) return passedOver[0] === undefined ? asItIs : { inside: passedOver[0] };
  const start = safeStart(path, place, depth + 1);
  if ("inside" in start) return start;
  if (passedOver.length === 0 && start.words.length === 1) return asItIs;
  return { words: [...start.words, ...flags, program], passedOver: [...passedOver, ...start.passedOver] };
}

interface Interpreter extends Found {
  readonly flags: readonly string[];
}

/** The interpreter that a script's shebang refers to, and its flags. */
function interpreterOf(program: string, place: ProgramSearch): Interpreter | undefined {
  const [, interpreter, rest = ""] = /^#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(readHead(program)) ?? [];
  if (interpreter === undefined) return undefined;
  if (basename(interpreter) === "env") {
    const [name = "", ...flags] = wordsOfEnv(rest);
    return { ...searchPath(name, place), flags };
  }
  const path = resolve(place.cwd, interpreter);
  const flags = rest === "" ? [] : [rest];
  if (!isFile(path)) return undefined;
  return isInWorkspace(path, place.avoid)
    ? { path: undefined, passedOver: [path], flags }
    : { path, passedOver: [], flags };
}

/** The program that `env` would start and its flags, without the options and assignments of `env` itself. */
function wordsOfEnv(text: string): readonly string[] {
  const words = text
    .replace(/^(?:-S|--split-string[= ])/, "")
    .trim()
    .split(/[ \t]+/);
  return words.slice(words.findIndex((word) => !word.startsWith("-") && !word.includes("=")));
}

/**
 * The words that start a program named by the user. A bare name, and the interpreter of a script, are only searched for
 * outside the workspace; a path is taken as given. A name that is not found is left to the system.
 */
export function commandWords(name: string, place: ProgramSearch): readonly [string, ...string[]] {
  const named = name.includes("/") ? resolve(place.cwd, name) : undefined;
  const found = named === undefined ? searchPath(name, place) : { path: named, passedOver: [] };
  if (found.path === undefined) {
    if (found.passedOver[0] === undefined) return [name];
    throw refused(name, found.passedOver[0]);
  }
  if (!isFile(found.path) || isInWorkspace(found.path, place.avoid)) return [name];
  const start = safeStart(found.path, place);
  if ("inside" in start) throw refused(name, start.inside);
  return start.words;
}

function refused(name: string, path: string): UserError {
  return new UserError(`${name} is inside the workspace, so it is not started`, {
    where: path,
    fix: "if that is intended, use its full path; otherwise remove that folder from PATH",
    exitCode: EXIT.refused,
  });
}
