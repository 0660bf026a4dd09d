import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { errorCode } from "../../lib/error-code.ts";
import { openedPath, type PathGate } from "./path-gate.ts";

/** Larger files are for grep and for commands. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface JudgedFile {
  readonly real: string;
  readonly stat: Stats;
  /** Undefined for a folder. */
  readonly bytes: Buffer | undefined;
}

/** Opens what a call names, checks that it is what was judged, and reads it fully. Never blocks on a FIFO or device. */
export function readJudged(path: string, callId: string, gate: PathGate): JudgedFile {
  const absolute = gate.absolute(path);
  const descriptor = open(absolute, gate);
  try {
    const real = openedPath(descriptor, absolute);
    gate.check(callId, real, "read");
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) return { real, stat, bytes: undefined };
    if (!stat.isFile()) throw new Error(`${absolute} is not a regular file`);
    if (stat.size > MAX_FILE_BYTES)
      throw new Error(
        `${absolute} has ${stat.size} bytes, too many to read; search it with grep, or print some lines with bash: sed -n '1,200p'`,
      );
    return { real, stat, bytes: readAll(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string, gate: PathGate): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw new Error(`${path} does not exist`, { cause: error });
    if (code === "EACCES") throw new Error(`${path} is not readable by this user`, { cause: error });
    if (code === "ELOOP") throw new Error(`${path} is a link to itself`, { cause: error });
    throw new Error(`${gate.absolute(path)} cannot be opened: ${code ?? String(error)}`, { cause: error });
  }
}

/** Reads to the end instead of to the size: files in /proc report none, and a file may grow. */
function readAll(descriptor: number): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(64 * 1024);
    const read = readSync(descriptor, part, 0, part.length, null);
    if (read === 0) return Buffer.concat(parts);
    size += read;
    if (size > MAX_FILE_BYTES) throw new Error("it grew while being read");
    parts.push(part.subarray(0, read));
  }
}
