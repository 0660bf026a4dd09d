import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { randomId } from "../../lib/files/random-id.ts";
import { exitOf, KILL_MS, listenTo, markingVariables, type ProcessExit, processTree } from "./process-tree.ts";

interface ScriptOrder {
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

export interface ScriptEnd extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** What is kept of the output of a step. */
const MAX_STDOUT = 10_000_000;
const MAX_STDERR = 64 * 1024;

/** Runs a program to its end with separate streams. A time-out or an abort ends its whole process tree. */
export async function runScript(order: ScriptOrder, signal: AbortSignal): Promise<ScriptEnd> {
  const { argv, folder, environment, session, timeoutSeconds } = order;
  const [program = "", ...rest] = argv;
  const id = randomId();
  const env = { ...environment, ...markingVariables(environment, session, id) };
  const child = spawn(program, rest, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const stdout = firstBytes(order.maxStdout ?? MAX_STDOUT, order.onFull);
  const stderr = lastBytes(MAX_STDERR, order.onStderr);
  const streams = [listenTo(child.stdout, stdout.add), listenTo(child.stderr, stderr.add)];
  await once(child, "spawn");
  child.on("error", () => undefined);
  const exit = exitOf(child);
  const limit = limitOf(timeoutSeconds, signal);
  const tree = processTree(id, child.pid ?? 0);
  const isEnded = await Promise.race([exit.then(() => true), limit.reached]);
  if (!isEnded) await tree.end();
  const { code, signal: by } = await Promise.race([
    exit,
    sleep(isEnded ? FOREVER_MS : KILL_MS, NO_EXIT, { ref: false }),
  ]);
  limit.stop();
  await Promise.all(streams.map((stream) => stream.silence()));
  for (const stream of streams) stream.letGo();
  return {
    code,
    signal: by,
    stdout: stdout.text(),
    stderr: stderr.text(),
    timedOut: !isEnded && !signal.aborted,
  };
}

const FOREVER_MS = 2 ** 31 - 1;
/** A process that survives KILL must not hold up the run. */
const NO_EXIT = { code: null, signal: "SIGKILL" } as const;

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

interface Kept {
  readonly add: (chunk: Buffer) => void;
  readonly text: () => string;
}

function firstBytes(most: number, onFull?: () => void): Kept {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (size < most) chunks.push(chunk.subarray(0, most - size));
      if (size <= most && size + chunk.length > most) onFull?.();
      size += chunk.length;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

function lastBytes(most: number, onChunk?: (chunk: Buffer) => void): Kept {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      onChunk?.(chunk);
      kept = Buffer.concat([kept, chunk]).subarray(-most);
    },
    text: () => kept.toString("utf8"),
  };
}
