import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setImmediate as nextPoll, setTimeout as sleep } from "node:timers/promises";
import { endTree, killTree, treeOf } from "../../lib/process/end-tree.ts";
import { COMMAND_VARIABLE, sessionVariables } from "../../lib/process/inside-session.ts";
import { markWork } from "../../lib/process/left-work.ts";
import { type ProcessRow, startTime } from "../../lib/process/process-table.ts";

let ownStart: string | undefined;

/** The mark of a session or a command: its processes are found by it, wherever they moved. */
const markOf = (id: string) => ({ id, since: (ownStart ??= startTime(process.pid) ?? "0") });

/** The variables that mark a command as one of a session, which may be inside others. */
export const markingVariables = (outer: NodeJS.ProcessEnv, session: string, command: string) => ({
  ...sessionVariables(outer, session),
  [COMMAND_VARIABLE]: `${session}:${command}`,
});

/** A started command with everything that it starts. */
export interface ProcessTree {
  /** Its first process, as the system knows it; empty when it had already ended. */
  readonly rows: readonly ProcessRow[];
  /** Ends all: TERM, a grace period, KILL. Returns those that could not be ended. */
  readonly end: () => Promise<readonly ProcessRow[]>;
  /** How many live. */
  readonly count: () => number;
  /** Kills all, for a process that has no time left to wait. */
  readonly kill: () => void;
}

/** How long a process that survives KILL may hold us up. */
export const KILL_MS = 3000;

/** The tree of the process `pid`, which was started with `mark` in its environment. */
export function processTree(mark: string, pid: number, graceMs = 1500): ProcessTree {
  const started = startTime(pid);
  const rows = started === undefined ? [] : [{ pid, parent: process.pid, started, marked: true }];
  return {
    rows,
    end: () => endTree(markOf(mark), rows, { graceMs, killMs: KILL_MS }),
    count: () => treeOf(markOf(mark), rows).length,
    kill: () => killTree(markOf(mark), rows),
  };
}

/** Ends every process of a session, also those that left their group and closed their output. */
export const endSession = async (session: string): Promise<void> => void (await endTree(markOf(session)));

/** The same for a process that has no time left to wait. */
export const killSession = (session: string, known: readonly ProcessRow[]): void => killTree(markOf(session), known);

/** Records a mark where the next signalbox finds it if we are killed. A full disk does not stop what needs no space. */
export function markIfPossible(marksFolder: string, mark: string): Disposable | undefined {
  try {
    return markWork(marksFolder, mark);
  } catch {
    return undefined;
  }
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How the first process ends. */
export const exitOf = (child: ChildProcess) =>
  new Promise<ProcessExit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));

/** How long to wait for output after the end; renewed each time more arrives. */
const LINGER_MS = 250;

/** Passes on what arrives on a stream, which a process that was left behind may keep open. */
export function listenTo(stream: Readable, add: (chunk: Buffer) => void) {
  let seen = 0;
  stream.on("data", (chunk: Buffer) => {
    add(chunk);
    seen += chunk.length;
  });
  // Without this handler a broken pipe would crash us.
  stream.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  return {
    /** Settles when the stream is closed or silent. On a busy machine output may arrive long after the end. */
    async silence(rounds = Infinity): Promise<void> {
      for (let before = -1; rounds > 0 && before !== seen && !stream.closed; rounds--) {
        before = seen;
        await Promise.race([closed, sleep(LINGER_MS, undefined, { ref: false })]);
        // The time may be over before anything was read.
        await nextPoll();
      }
    },
    /** Whatever still writes must not be stopped by a broken pipe; nobody reads it any more. */
    letGo(): void {
      stream.removeAllListeners("data");
      stream.resume();
      if ("unref" in stream && typeof stream.unref === "function") stream.unref();
    },
  };
}
