import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

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
