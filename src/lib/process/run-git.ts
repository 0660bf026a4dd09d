import { spawn, spawnSync } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { cleanEnvironment } from "./dangerous-variables.ts";
import { errorCode, UserError } from "../text/user-error.ts";
import { findWorkspace } from "../path/workspace.ts";
import { findProgram } from "../path/find-program.ts";
import { hasStarted } from "./has-started.ts";
import { safePath } from "../path/inside.ts";

export interface GitCall {
  readonly cwd: string;
  /** A folder besides `cwd` whose programs must not be started in place of ours. */
  readonly workspace?: string;
  /** The source of PATH and the rest, without secrets and GIT_ variables. Defaults to our own environment. */
  readonly from?: NodeJS.ProcessEnv;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string | Buffer;
  /** Exit codes that are answers, not failures. */
  readonly accept?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
}

/** The repository's own settings must not make our git commands run programs. */
const HARMLESS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  // A folder that only looks like a repository does not count: an agent can create one from plain files.
  "safe.bareRepository=explicit",
  "diff.external=",
  "gc.auto=0",
  "advice.addEmbeddedRepo=false",
];

/** Runs git with an argv. If git fails, throws its error output. */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  call.signal?.throwIfAborted();
  const env = gitEnvironment(call);
  const program = findProgram("git", env["PATH"] ?? "");
  if (program === undefined) throw unstartable();
  const child = spawn(program, [...HARMLESS.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: call.cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", (cause) => reject(call.signal?.aborted === true ? cause : unstartable(cause)));
    child.on("close", (code) => resolve(code ?? 128));
  });
  // Both fail when git does not start.
  ended.catch(() => {});
  if (!(await hasStarted(child))) await ended;
  child.stdin.on("error", () => {});
  child.stdin.end(call.input);
  const output = Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  const code = await ended;
  const [stdout, stderr] = await output;
  if (code === 0 || call.accept?.includes(code)) return { code, stdout };
  throw new GitFailure(args[0] ?? "", stderr.toString("utf8").trim().slice(0, 2000));
}

const MAX_BRIEF = 16 * 1024 * 1024;

/** What git printed; undefined if it failed or took longer than this. Blocks this process meanwhile. */
export function runGitBriefly(args: readonly string[], call: GitCall, milliseconds: number): Buffer | undefined {
  const env = gitEnvironment(call);
  const program = findProgram("git", env["PATH"] ?? "");
  if (program === undefined) return undefined;
  const { status, stdout } = spawnSync(program, [...HARMLESS.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: call.cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: milliseconds,
    killSignal: "SIGKILL",
    maxBuffer: MAX_BRIEF,
  });
  return status === 0 ? stdout : undefined;
}

/** Git's own explanation of a failure. */
export class GitFailure extends Error {
  constructor(verb: string, stderr: string) {
    super(`git ${verb}: ${stderr === "" ? "failed without an error message" : stderr}`);
    this.name = "GitFailure";
  }
}

/** A single line that git printed. */
export async function gitLine(args: readonly string[], call: GitCall): Promise<string> {
  return (await runGit(args, call)).stdout.toString("utf8").trim();
}

/** Names that git printed with `-z`. */
export async function gitNames(args: readonly string[], call: GitCall): Promise<string[]> {
  const { stdout } = await runGit(args, call);
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}

/** The checked-out commit; undefined before the first one. */
export async function headCommit(call: GitCall): Promise<string | undefined> {
  const { stdout } = await runGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { ...call, accept: [1, 128] });
  return stdout.length === 0 ? undefined : stdout.toString("utf8").trim();
}

/** No protocol is allowed: a repository with missing objects would fetch them through a program it chooses. */
const UNATTENDED = { GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_ALLOW_PROTOCOL: "none", LC_ALL: "C" };

function gitEnvironment({ cwd, workspace = cwd, from = process.env, env }: GitCall): NodeJS.ProcessEnv {
  const own = Object.entries(cleanEnvironment(from)).filter(([name]) => !name.startsWith("GIT_"));
  const path = safePath(from, cwd, workspace, ...startedIn());
  return { ...Object.fromEntries(own), ...UNATTENDED, PATH: path, ...env };
}

/** The repository that we were started in may have put its programs on PATH. */
function startedIn(): readonly string[] {
  try {
    return [findWorkspace(process.cwd())];
  } catch {
    // The folder is gone, and no program can be started from it.
    return [];
  }
}

function unstartable(cause?: Error): UserError {
  const why = cause === undefined ? "not on PATH outside the workspace" : (errorCode(cause) ?? cause.message);
  return new UserError(`cannot start git (${why})`, {
    where: "PATH",
    fix: "install git (needed to find what an agent changed)",
    cause,
  });
}
