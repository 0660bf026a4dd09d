import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { endTree } from "../../lib/process/end-tree.ts";
import { COMMAND_VARIABLE, sessionVariables } from "../../lib/process/inside-session.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { randomId } from "../../lib/files/random-id.ts";

export interface ScriptOrder {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Marks all commands of one run. */
  readonly session: string;
  readonly timeoutSeconds: number | undefined;
  /** Bytes of stdout that are kept. */
  readonly maxStdout?: number;
  /** Called when there is more. */
  readonly onFull?: () => void;
  /** Gets stderr as it arrives. */
  readonly onStderr?: (chunk: Buffer) => void;
}

export interface ScriptEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** What is kept of the output of a step. */
const MAX_STDOUT = 10_000_000;
const MAX_STDERR = 64 * 1024;
/** How long to wait for output after the end; renewed each time more arrives. */
const LINGER_MS = 250;
const TREE = { graceMs: 1500, killMs: 3000 };

/** Runs a program to its end with separate streams. A time-out or an abort ends its whole process tree. */
export async function runScript(order: ScriptOrder, signal: AbortSignal): Promise<ScriptEnd> {
  const { argv, folder, environment, session, timeoutSeconds } = order;
  const [program = "", ...rest] = argv;
  const id = randomId();
  const env = {
    ...environment,
    ...sessionVariables(environment, session),
    [COMMAND_VARIABLE]: `${session}:${id}`,
  };
  const child = spawn(program, rest, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = [
    collect(child.stdout, firstBytes(order.maxStdout ?? MAX_STDOUT, order.onFull)),
    collect(child.stderr, lastBytes(MAX_STDERR, order.onStderr)),
  ];
  await once(child, "spawn");
  child.on("error", () => undefined);
  const exit = exitOf(child);
  const limit = limitOf(timeoutSeconds, signal);
  const started = startTime(child.pid ?? 0);
  const known = started === undefined ? [] : [{ pid: child.pid ?? 0, parent: process.pid, started, marked: true }];
  const isEnded = await Promise.race([exit.then(() => true), limit.reached]);
  if (!isEnded) await endTree({ id, since: startTime(process.pid) ?? "0" }, known, TREE);
  const { code, signal: by } = await Promise.race([
    exit,
    sleep(isEnded ? FOREVER_MS : TREE.killMs, NO_EXIT, { ref: false }),
  ]);
  limit.stop();
  await Promise.all([stdout.settled(), stderr.settled()]);
  return { code, signal: by, stdout: stdout.text(), stderr: stderr.text(), timedOut: !isEnded && !signal.aborted };
}

const FOREVER_MS = 2 ** 31 - 1;
/** A process that survives KILL must not hold up the run. */
const NO_EXIT = { code: null, signal: "SIGKILL" } as const;

function exitOf(child: ChildProcess): Promise<Pick<ScriptEnd, "code" | "signal">> {
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
}

/** Resolves to false when the time is up or the run is interrupted. */
function limitOf(seconds: number | undefined, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<false>();
  const stop = () => resolve(false);
  const timer = seconds === undefined ? undefined : setTimeout(stop, Math.min(seconds * 1000, FOREVER_MS));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return {
    reached: promise,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}

interface Keeper {
  readonly add: (chunk: Buffer) => void;
  readonly bytes: () => Buffer;
}

function collect(stream: Readable, keep: Keeper) {
  let seen = 0;
  stream.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    keep.add(chunk);
  });
  stream.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  return {
    text: () => keep.bytes().toString("utf8"),
    /** A process that the step left behind may keep the stream open; then we stop listening when it is silent. */
    async settled(): Promise<void> {
      for (let before = -1; before !== seen && !stream.closed;) {
        before = seen;
        await Promise.race([closed, sleep(LINGER_MS, undefined, { ref: false })]);
        // On a busy machine the time may be over before anything was read.
        await nextRound();
      }
      if (stream.closed) return;
      stream.removeAllListeners("data");
      stream.resume();
      if ("unref" in stream && typeof stream.unref === "function") stream.unref();
    },
  };
}

function firstBytes(most: number, onFull?: () => void): Keeper {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (size < most) chunks.push(chunk.subarray(0, most - size));
      if (size <= most && size + chunk.length > most) onFull?.();
      size += chunk.length;
    },
    bytes: () => Buffer.concat(chunks),
  };
}

function lastBytes(most: number, onChunk?: (chunk: Buffer) => void): Keeper {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      onChunk?.(chunk);
      kept = Buffer.concat([kept, chunk]).subarray(-most);
    },
    bytes: () => kept,
  };
}
