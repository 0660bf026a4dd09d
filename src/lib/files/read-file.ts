import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from "node:fs";
import { errorCode } from "../text/user-error.ts";

/** More than any settings or rules file of an agent or a repository needs, in bytes. */
export const MAX_SETTINGS = 4 * 1024 * 1024;

interface BoundedFile {
  readonly bytes: Buffer;
  readonly modified: Date;
}

/**
 * The bytes of a regular file of at most `most` bytes. Never blocks on a FIFO or device; a growing file is rejected
 * too.
 */
export function readBounded(path: string, most: number): BoundedFile {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("not a regular file");
    if (stat.size > most) throw new Error(`larger than ${most} bytes`);
    // One byte more than the reported size: a full buffer means that the file grew.
    const buffer = Buffer.alloc(stat.size + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = readSync(file, buffer, size, buffer.length - size, null);
    }
    if (size === buffer.length) throw new Error("it grew while being read");
    return { bytes: buffer.subarray(0, size), modified: stat.mtime };
  } finally {
    closeSync(file);
  }
}

/** The text of such a file. */
export const readBoundedText = (path: string, most: number): string => readBounded(path, most).bytes.toString("utf8");

/** The same; undefined where there is no such file, or it cannot be read. */
export function textIfReadable(path: string, most = MAX_SETTINGS): string | undefined {
  try {
    return readBoundedText(path, most);
  } catch {
    return undefined;
  }
}

/**
 * The bytes of a file, or undefined when it does not exist. Throws on any other problem, including a pipe or device,
 * which might never end.
 */
export function readIfThere(path: string): Buffer | undefined {
  try {
    if (!lstatSync(path).isFile()) throw new Error(`${path} is not a regular file`);
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The text of such a file. */
export const textIfThere = (path: string): string | undefined => readIfThere(path)?.toString("utf8");

const BYTES = 256;

/** The first bytes of a file as latin1, as many as the system reads of a first line; empty for an unreadable file. */
export function readHead(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const head = Buffer.alloc(BYTES);
      return head.toString("latin1", 0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
