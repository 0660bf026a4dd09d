import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { randomId } from "./random-id.ts";

/** Replaces a file completely or not at all: temp file in the same folder, fsync, rename. */
export function atomicWrite(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${randomId()}.tmp`;
  try {
    const file = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Appends all of `bytes` or nothing. After a partial write it retries, so that the disk reports the same error as when
 * it takes nothing at all; the partial data is then truncated.
 */
export function appendWhole(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (written > 0) ftruncateSync(descriptor, fstatSync(descriptor).size - written);
    throw error;
  }
}

/** Flushes a folder, so that renames and new files in it survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
