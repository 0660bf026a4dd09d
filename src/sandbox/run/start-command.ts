import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate as nextPoll, setTimeout as sleep } from "node:timers/promises";
import { endTree, treeOf } from "../../lib/process/end-tree.ts";
import { findProgram, systemProgram } from "../../lib/path/find-program.ts";
import { type OutputPipe, type PipePool, spawnOnPipe } from "../../lib/process/pipe-pool.ts";
import { type ProcessRow, startTime } from "../../lib/process/process-table.ts";
import { COMMAND_VARIABLE, sessionVariables } from "../../lib/process/inside-session.ts";
import type { ProgramStarter } from "../../lib/process/program-starter.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { openWindow, type OutputWindow } from "./output-window.ts";
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
export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
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
  readonly rows: readonly ProcessRow[];
  readonly output: OutputWindow;
  /** It runs in the session's sandbox. */
  readonly inside: boolean;
  /** Settles when the program and all its processes have ended. */
  readonly ended: Promise<CommandEnd>;
  /** Ends the whole tree: TERM, a grace period, KILL. Settles together with `ended`. */
  end(): Promise<CommandEnd>;
}

const TREE = { graceMs: 1500, killMs: 3000 };

/** How long to wait for output after the program has ended; renewed each time more arrives. */
const LINGER_MS = 250;
const MAX_ROUNDS = 100;

let ownStart: string | undefined;

/** Starts a command in its own process group, with no input. Throws when its folder is gone. */
export async function startCommand(order: CommandOrder): Promise<RunningCommand> {
  const { folder, environment, session, outputFile, inside = false } = order;
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist`);
  const id = randomId();
  const since = (ownStart ??= startTime(process.pid) ?? "0");
  const env = {
    ...environment,
    ...sessionVariables(environment, session),
    [COMMAND_VARIABLE]: `${session}:${id}`,
  };
  const begun = await begin(order, env);
  const { pid } = begun;
  const started = startTime(pid);
  const known = started === undefined ? [] : [{ pid, parent: process.pid, started, marked: true }];
  const tree: Tree = {
    rows: known,
    sweep: () => endTree({ id, since }, known, TREE),
    count: () => treeOf({ id, since }, known).length,
  };
  return watch({ ...begun, inside }, tree, openWindow(outputFile));
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
  const { child, output: stream } = spawnOnPipe(argv, { cwd: folder, env, pipe });
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
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
  readonly exited: Promise<Exit>;
}

interface Tree {
  readonly rows: readonly ProcessRow[];
  sweep(): Promise<readonly unknown[]>;
  count(): number;
}

interface Started extends Begun {
  readonly inside: boolean;
}

function watch({ pid, stream, exited, inside }: Started, tree: Tree, output: OutputWindow): RunningCommand {
  let seen = 0;
  stream.on("data", (chunk: Buffer) => {
    output.add(chunk);
    seen += chunk.length;
  });
  // Without this handler a broken pipe would crash us.
  stream.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  // On a busy machine output may arrive long after the end; we stop only when nothing more comes.
  const listen = async (rounds: number): Promise<void> => {
    for (let before = -1; rounds > 0 && before !== seen && !stream.closed; rounds--) {
      before = seen;
      await Promise.race([closed, sleep(LINGER_MS, undefined, { ref: false })]);
      await nextPoll();
    }
  };
  const stop = Promise.withResolvers<Exit>();
  let stopping: Promise<unknown> | undefined;
  // Whatever still writes must not be stopped by a broken pipe; nobody reads it any more.
  const letGo = () => {
    stream.removeAllListeners("data");
    stream.resume();
    if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  };

  const ended = (async (): Promise<CommandEnd> => {
    const { code, signal } = await Promise.race([exited, stop.promise]);
    await stopping;
    await listen(1);
    const alone = stream.closed && !groupLives(pid);
    const leftovers = alone ? 0 : tree.count();
    if (inside && stopping === undefined && leftovers > 0) {
      letGo();
      output.close();
      return { code, signal, leftovers: 0, stubborn: 0, background: leftovers };
    }
    const stubborn = leftovers === 0 ? [] : await tree.sweep();
    await listen(MAX_ROUNDS);
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
        .sweep()
        .then((left) => (left.length > 0 ? stop.resolve({ code: null, signal: null }) : undefined));
      return ended;
    },
  };
}

type Exit = Pick<CommandEnd, "code" | "signal">;

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

interface CommandPlace {
  readonly workspace: string;
  /** Names of secrets that the user lets commands have. */
  readonly keep?: readonly string[] | undefined;
}

/**
 * The environment of a command: the user's, without secrets and variables that load code. PATH loses relative
 * entries and those inside the workspace, so that a file there cannot replace a program that was judged by name.
 */
export function bashEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { workspace, keep }: CommandPlace,
): Record<string, string> {
  const path = safePath(environment, workspace);
  return { ...cleanEnvironment(environment, keep), ...UNATTENDED, PATH: path };
}

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
  const child = spawn(systemProgram("bash") ?? "bash", ["--noprofile", "--norc", "-c", script, outputFile, ...argv], {
    cwd: folder,
    env: environment,
    stdio: "ignore",
    detached: true,
  });
  await once(child, "spawn");
  child.unref();
  return { pid: child.pid ?? 0, exitFile: `${outputFile}.exit` };
}
