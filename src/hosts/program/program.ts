import { commandWords } from "../../agents/command-words.ts";
import { workspaceFolders } from "../../agents/workspace-folders.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { endTree } from "../../lib/end-tree.ts";
import { startTime } from "../../lib/process-table.ts";
import { errorCode } from "../../lib/error-code.ts";
import type { HostPlace } from "../../backplane/host.ts";

/** A program that works in a run, with its streams. Disposing of it ends its whole tree. */
export interface HostProgram extends AsyncDisposable {
  readonly output: AsyncIterable<Uint8Array>;
  /** Writes to its stdin; what it does not take is dropped. */
  readonly write: (text: string | Buffer) => void;
  readonly endInput: () => void;
  /** The end of what it said on stderr. */
  readonly complaint: () => string;
  /** How it ended. */
  readonly ended: Promise<ProgramEnd>;
}

interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramStart {
  readonly path: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly runId: string;
}

const COMPLAINT_BYTES = 4096;
const GOODBYE_MS = 1000;

/** Starts a program in a group of its own. Throws the system's error when it cannot be started. */
export async function startProgram(start: ProgramStart): Promise<HostProgram> {
  const child = spawn(start.path, start.argv, { cwd: start.cwd, env: start.env, stdio: "pipe", detached: true });
  const ended = new Promise<ProgramEnd>((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  await once(child, "spawn");
  // A program that goes without reading breaks the pipe; how it ended tells the rest.
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
      // One that obeys the end of its input needs no signal.
      await Promise.race([ended, sleep(GOODBYE_MS, undefined, { ref: false })]);
      await endTree({ id: start.runId, since });
      // What nobody reads any more would keep this process alive.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
  };
}

/** The bytes of a stream; when we close it ourselves, that is its end. */
async function* untilClosed(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

function keepEnd({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let kept = Buffer.alloc(0);
  stderr.on("data", (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-COMPLAINT_BYTES);
  });
  return () => kept.toString("utf8").trim();
}

/** How a program ended, with its last words, for a message. */
export async function describeProgramEnd(program: HostProgram): Promise<string> {
  const { code, signal } = await program.ended;
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
  const said = program.complaint();
  return said === "" ? how : `${how}: ${said.slice(-1000)}`;
}

/** The first word and the rest of a command line. */
export interface HostCommand {
  readonly path: string;
  readonly argv: readonly string[];
}

/** Starts a program that the person named; one that is not there is theirs to mend. */
export async function startHostCommand(
  command: HostCommand,
  place: { readonly workspaceRoots: readonly string[]; readonly env: NodeJS.ProcessEnv; readonly runId: string },
): Promise<HostProgram> {
  const { env, runId } = place;
  const [cwd = "/"] = place.workspaceRoots;
  const search = { env, cwd, avoid: workspaceFolders(place.workspaceRoots, env) };
  const [path, ...leading] = commandWords(command.path, search);
  try {
    return await startProgram({ path, argv: [...leading, ...command.argv], cwd, env, runId });
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

/** The folders of a run whose programs are not taken for an agent's: the root, and what it is a copy of. */
export const workspaceRoots = ({ root, source }: Pick<HostPlace, "root" | "source">) =>
  source === undefined ? [root] : [root, source];
