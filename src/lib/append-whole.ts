import { fstatSync, ftruncateSync, writeSync } from "node:fs";

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
