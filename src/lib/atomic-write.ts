import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
