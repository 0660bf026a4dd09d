import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { systemProgram } from "../path/find-program.ts";

/** What a process writes to the descriptor `end` can be read from `output`. The caller closes both. */
export interface OutputPipe {
  readonly end: number;
  readonly output: Readable;
}

/** A pool of pipes. */
export interface PipePool {
  /** Undefined where none can be created. */
  take(): Promise<OutputPipe | undefined>;
  /** Starts creating some when the pool is empty. */
  prepare(): void;
  close(): void;
}

interface Ends {
  readonly read: number;
  readonly write: number;
}

/**
 * Real pipes. Node gives a process sockets instead, which cannot be opened by path, so `echo x > /dev/stderr` fails
 * there. The pipes are created in batches, as FIFOs that are unlinked before anyone gets one.
 */
export function openPipes({ first, batch, low } = { first: 8, batch: 32, low: 4 }): PipePool {
  const stock: Ends[] = [];
  let most = first;
  let making: Promise<boolean> | undefined;
  let closed = false;
  const refill = async (): Promise<boolean> => {
    const made = await makePipes(most).catch(() => []);
    most = batch;
    making = undefined;
    stock.push(...made);
    if (closed) empty(stock);
    return made.length > 0;
  };
  return {
    async take() {
      while (stock.length === 0) if (closed || !(await (making ??= refill()))) return undefined;
      const ends = stock.pop();
      // Early, so that only the first command waits for pipes.
      if (stock.length < low) making ??= refill();
      return ends && { end: ends.write, output: new Socket({ fd: ends.read, readable: true, writable: false }) };
    },
    prepare() {
      if (stock.length === 0 && !closed) making ??= refill();
    },
    close() {
      closed = true;
      empty(stock);
    },
  };
}

function empty(stock: Ends[]): void {
  for (const { read, write } of stock.splice(0)) {
    closeSync(read);
    closeSync(write);
  }
}

const run = promisify(execFile);

async function makePipes(count: number): Promise<Ends[]> {
  const program = systemProgram("mkfifo");
  if (program === undefined) return [];
  const made: Ends[] = [];
  let folder: string | undefined;
  try {
    const own = (folder = mkdtempSync(join(tmpdir(), "signalbox-pipes-")));
    const names = Array.from({ length: count }, (_, number) => join(own, String(number)));
    await run(program, names, { env: {} });
    for (const name of names) made.push(openEnds(name));
  } catch {
    // No such program, no space, too many open files: the pipes created so far are usable.
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
  return made;
}

/** The reading end first: without a reader, opening the other end would block. */
function openEnds(name: string): Ends {
  const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}

interface Spawned {
  readonly child: ChildProcess;
  /** What the program prints on both streams, in order. */
  readonly output: Readable;
}

/**
 * Starts a program in its own process group, with no input and one stream for all its output. Without a pipe, Node uses a
 * socket for it.
 */
export function spawnOnPipe(
  argv: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  pipe: OutputPipe | undefined,
): Spawned {
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
