import { fstatSync, ftruncateSync, writeSync } from "node:fs";

/**
 * Appends all of `bytes` or nothing. A disk that takes only a part is asked again, so that it gives the same error as
 * one that takes nothing; the part is then cut off.
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
