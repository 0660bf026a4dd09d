import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { commandWords } from "../../agents/find-binary.ts";
import { workspaceFolders } from "../../agents/search-path.ts";
import type { Policy } from "../../contract/policy.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { endTree } from "../../lib/process/end-tree.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import type { HostPlace } from "../../receipts/host.ts";

/** A program in a run, with its streams. Disposing it ends all its processes. */
export interface HostProgram extends AsyncDisposable {
  readonly output: AsyncIterable<Uint8Array>;
  /** Writes to stdin. Data that the program does not read is dropped. */
  readonly write: (text: string | Buffer) => void;
  readonly endInput: () => void;
  /** The end of its stderr output. */
  readonly complaint: () => string;
  readonly ended: Promise<ProgramEnd>;
}

interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A command line: the program and its arguments. */
export interface HostCommand {
  readonly path: string;
  readonly argv: readonly string[];
}

const COMPLAINT_BYTES = 4096;

const GOODBYE_MS = 1000;

/** Starts a program in its own process group. Throws the system's error if it cannot be started. */
export async function startProgram(
  { path, argv }: HostCommand,
  cwd: string,
  env: NodeJS.ProcessEnv,
  runId: string,
): Promise<HostProgram> {
  const child = spawn(path, argv, { cwd, env, stdio: "pipe", detached: true });
  const ended = new Promise<ProgramEnd>((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  await once(child, "spawn");
  // A program that exits without reading breaks the pipe. Its exit status explains the rest.
  child.stdin.on("error", () => {});
  const complaint = keepEnd(child);
  const since = startTime(process.pid) ?? "0";
  return {
    output: untilClosed(child.stdout),
    write: (text) => child.stdin.destroyed || child.stdin.write(text),
    endInput: () => child.stdin.end(),
    complaint,
    ended,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      // A program that exits at the end of its input needs no signal.
      await Promise.race([ended, sleep(GOODBYE_MS, undefined, { ref: false })]);
      await endTree({ id: runId, since });
      // Unread streams would keep this process alive.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
  };
}

/** A stream's bytes. If we close the stream ourselves, that counts as its end. */
async function* untilClosed(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

function keepEnd({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let tail = Buffer.alloc(0);
  stderr.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-COMPLAINT_BYTES);
  });
  return () => tail.toString("utf8").trim();
}

/** Describes how a program ended, including its last stderr output. */
export async function describeProgramEnd(program: HostProgram): Promise<string> {
  return describeEnd(await program.ended, program.complaint());
}

/**
 * Copilot's launcher script reports that the program it started was killed, and then, as after any failure, that the
 * program is not installed.
 */
const KILLED_BEHIND = /^.*native binary at .* was terminated by signal (SIG\w+)/m;

/** Describes how a program ended that has written `complaint` to stderr. */
export function describeEnd({ code, signal }: ProgramEnd, complaint: string): string {
  const behind = signal === null && code !== 0 ? KILLED_BEHIND.exec(complaint) : null;
  const how =
    signal === null ? (behind === null ? `exit code ${code}` : `killed by ${behind[1]}`) : `killed by ${signal}`;
  const said = (behind === null ? complaint : complaint.slice(0, behind.index)).trim();
  return said === "" ? how : `${how}: ${said.slice(-1000)}`;
}

/** Starts a program named by the user. If it is missing, throws a UserError. */
export async function startHostCommand(
  command: HostCommand,
  place: RunFolder & { readonly runId: string },
  env: NodeJS.ProcessEnv,
): Promise<HostProgram> {
  const avoid = workspaceFolders(workspaceRoots(place), env);
  const [path, ...leading] = commandWords(command.path, { env, cwd: place.root, avoid });
  try {
    return await startProgram({ path, argv: [...leading, ...command.argv] }, place.root, env, place.runId);
  } catch (cause) {
    const code = errorCode(cause) ?? "unknown error";
    throw new UserError(`${command.path} cannot be started (${code})`, {
      where: [command.path, ...command.argv].join(" "),
      fix: "check that the program is installed and can be run",
      exitCode: code === "ENOENT" ? EXIT.notFound : EXIT.notRunnable,
      cause,
    });
  }
}

/** The environment of a program of this run that is no agent of ours: with the order's variables. */
export const hostEnvironment = (env: NodeJS.ProcessEnv, { env: added, runId }: HostPlace): NodeJS.ProcessEnv =>
  commandEnvironment({ ...env, ...added }, runId);

interface RunFolder {
  readonly root: string;
  readonly source?: string | undefined;
}

/** Folders whose programs must not be mistaken for an agent: the run's root, and the workspace it was copied from. */
export const workspaceRoots = ({ root, source }: RunFolder) => (source === undefined ? [root] : [root, source]);

/** The refusal of a host whose commands cannot run in a sandbox, where one is required. */
export function uncontained(host: string, why: string, where: string): UserError {
  return new UserError(`a sandbox is required, but commands of ${host} cannot run in one, because ${why}`, {
    where,
    fix: where.startsWith("--")
      ? `run it without ${where}, or use claude, codex, copilot, gemini or native`
      : 'set "sandbox: auto" in the policy, or use claude, codex, copilot, gemini or native',
    exitCode: EXIT.refused,
  });
}

/** Where the rules in effect require a sandbox; undefined if they don't. */
export function sandboxRequirement(policy: Policy | undefined): string | undefined {
  const { sandbox = "auto" } = policy ?? {};
  return sandbox === "workspace" || sandbox === "strict" ? `"sandbox: ${sandbox}" in the policy` : undefined;
}

/** Refuses to open a host that cannot contain commands where the rules require it. */
export function refuseUncontained(host: string, why: string, policy: Policy | undefined): void {
  const where = sandboxRequirement(policy);
  if (where !== undefined) throw uncontained(host, why, where);
}

export const RUNS_ITSELF = "it runs them itself";
