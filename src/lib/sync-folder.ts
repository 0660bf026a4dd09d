import { closeSync, fsyncSync, openSync } from "node:fs";

/** Flushes a folder, so that renames and new files in it survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
