import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Readable } from "node:stream";
import { findProgram, systemProgram } from "../../lib/path/find-program.ts";
import { type OutputPipe, type PipePool, spawnOnPipe } from "../../lib/process/pipe-pool.ts";
import type { ProgramStarter } from "../../lib/process/program-starter.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { openWindow, type OutputWindow } from "./output-window.ts";
import { exitOf, listenTo, markingVariables, type ProcessExit, processTree, type ProcessTree } from "./process-tree.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { safePath } from "../../lib/path/inside.ts";

export interface CommandOrder {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Marks all commands of one session. */
  readonly session: string;
  /** Where output goes beyond what is kept in memory. */
  readonly outputFile: string;
  readonly pipes: Pick<PipePool, "take">;
  readonly starter?: ProgramStarter | undefined;
  /** It runs in the session's sandbox: processes that it leaves behind live until the session ends. */
  readonly inside?: boolean | undefined;
}

/** How a command ended. */
export interface CommandEnd extends ProcessExit {
  /** Processes that it left behind and that were ended. */
  readonly leftovers: number;
  /** Processes that it left in the session's sandbox, where they keep running. */
  readonly background?: number;
  /** Processes that could not be ended. */
  readonly stubborn: number;
}

export interface RunningCommand {
  readonly pid: number;
  /** Its first process, as the system knows it; empty when it had already ended. */
  readonly rows: ProcessTree["rows"];
  readonly output: OutputWindow;
  /** It runs in the session's sandbox. */
  readonly inside: boolean;
  /** Settles when the program and all its processes have ended. */
  readonly ended: Promise<CommandEnd>;
  /** Ends the whole tree: TERM, a grace period, KILL. Settles together with `ended`. */
  end(): Promise<CommandEnd>;
}

const MAX_ROUNDS = 100;

/** Starts a command in its own process group, with no input. Throws when its folder is gone. */
export async function startCommand(order: CommandOrder): Promise<RunningCommand> {
  const { folder, environment, session, outputFile, inside = false } = order;
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist`);
  const id = randomId();
  const begun = await begin(order, { ...environment, ...markingVariables(environment, session, id) });
  return watch(begun, processTree(id, begun.pid), openWindow(outputFile), inside);
}

/** Through the starter, which is faster, or else by ourselves. */
async function begin({ argv, folder, pipes, starter }: CommandOrder, env: Record<string, string>): Promise<Begun> {
  const pipe = await pipes.take();
  const [name = ""] = argv;
  const program = isAbsolute(name) ? name : findProgram(name, env["PATH"] ?? "");
  if (starter !== undefined && pipe !== undefined && program !== undefined) {
    const order = { program, argv, cwd: folder, env, output: pipe.end };
    const started = await starter.start(order).catch((error: unknown) => {
      closePipe(pipe);
      throw error;
    });
    if (started !== undefined) {
      closeSync(pipe.end);
      return { ...started, stream: pipe.output };
    }
  }
  const { child, output: stream } = spawnOnPipe(argv, folder, env, pipe);
  const exited = exitOf(child);
  await once(child, "spawn").catch((error: unknown) => {
    stream.destroy();
    throw error;
  });
  // `exit` reports its end; without this handler a late error would crash us.
  child.on("error", () => undefined);
  return { pid: child.pid ?? 0, stream, exited };
}

function closePipe({ end, output }: OutputPipe): void {
  closeSync(end);
  output.destroy();
}

interface Begun {
  readonly pid: number;
  readonly stream: Readable;
  readonly exited: Promise<ProcessExit>;
}

function watch(
  { pid, stream, exited }: Begun,
  tree: ProcessTree,
  output: OutputWindow,
  inside: boolean,
): RunningCommand {
  const listener = listenTo(stream, (chunk) => output.add(chunk));
  const stop = Promise.withResolvers<ProcessExit>();
  let stopping: Promise<unknown> | undefined;

  const ended = (async (): Promise<CommandEnd> => {
    const { code, signal } = await Promise.race([exited, stop.promise]);
    await stopping;
    await listener.silence(1);
    const alone = stream.closed && !groupLives(pid);
    const leftovers = alone ? 0 : tree.count();
    if (inside && stopping === undefined && leftovers > 0) {
      listener.letGo();
      output.close();
      return { code, signal, leftovers: 0, stubborn: 0, background: leftovers };
    }
    const stubborn = leftovers === 0 ? [] : await tree.end();
    await listener.silence(MAX_ROUNDS);
    stream.destroy();
    output.close();
    return { code, signal, leftovers, stubborn: stubborn.length };
  })();

  return {
    pid,
    rows: tree.rows,
    output,
    inside,
    ended,
    end() {
      // A process that survives KILL must not hold us up.
      stopping ??= tree
        .end()
        .then((left) => (left.length > 0 ? stop.resolve({ code: null, signal: null }) : undefined));
      return ended;
    },
  };
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Nobody is at the terminal of a command. */
const UNATTENDED = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };

/**
 * The environment of a command: the user's, without variables that load code and secrets but those in `keep`. PATH loses
 * relative entries and those inside the workspace, so that a file there cannot replace a program that was judged by name.
 */
export function bashEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  workspace: string,
  keep: readonly string[] = [],
): Record<string, string> {
  const path = safePath(environment, workspace);
  return { ...cleanEnvironment(environment, keep), ...UNATTENDED, PATH: path };
}

/** A fresh bash that reads none of the user's startup files. */
export const bashArgv = (script: string): readonly string[] => [
  systemProgram("bash") ?? "bash",
  "--noprofile",
  "--norc",
  "-c",
  script,
];

/** Maximum bytes in the output file of a detached command. */
const MAX_BYTES = 16 * 1024 * 1024;

/** We don't watch it, so the surrounding shell limits the file and records the exit code. */
const WATCHED = '"$@" 2>&1 | { head -c MOST; exec cat >/dev/null; } >"$0"; echo "${PIPESTATUS[0]}" >"$0.exit"';

/** Starts a command that continues after we end. Its output and exit code go to files. */
export async function startDetached(
  order: Omit<CommandOrder, "session" | "pipes" | "starter">,
): Promise<{ readonly pid: number; readonly exitFile: string }> {
  const { argv, folder, environment, outputFile } = order;
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist`);
  const script = WATCHED.replace("MOST", String(MAX_BYTES));
  const [bash = "", ...words] = bashArgv(script);
  const child = spawn(bash, [...words, outputFile, ...argv], {
    cwd: folder,
    env: environment,
    stdio: "ignore",
    detached: true,
  });
  await once(child, "spawn");
  child.unref();
  return { pid: child.pid ?? 0, exitFile: `${outputFile}.exit` };
}
