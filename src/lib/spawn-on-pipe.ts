import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Readable } from "node:stream";
import type { OutputPipe } from "./pipe-pool.ts";

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Undefined: Node uses a socket instead. */
  readonly pipe: OutputPipe | undefined;
}

interface Spawned {
  readonly child: ChildProcess;
  /** What the program prints on both streams, in order. */
  readonly output: Readable;
}

/** Starts a program in its own process group, with no input and one stream for all its output. */
export function spawnOnPipe(argv: readonly string[], { cwd, env, pipe }: Place): Spawned {
  const options = { cwd, env, detached: true };
  if (pipe === undefined) {
    const merged = ["-c", 'exec "$@" 2>&1', "sh", ...argv];
    const child: ChildProcess = spawn("/bin/sh", merged, { ...options, stdio: ["ignore", "pipe", "ignore"] });
    // A child that got no free descriptor has no streams; its error event follows a moment later.
    return { child, output: child.stdout ?? Readable.from([]) };
  }
  const [program = "", ...rest] = argv;
  const { end, output } = pipe;
  try {
    return { child: spawn(program, rest, { ...options, stdio: ["ignore", end, end] }), output };
  } catch (error) {
    output.destroy();
    throw error;
  } finally {
    closeSync(end);
  }
}
