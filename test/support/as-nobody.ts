import { chownSync } from "node:fs";
import { tempFolder } from "./temp-folder.ts";

const NOBODY = 65_534;

/** Runs a call that does not wait for anything without root's rights: root may read and write everything. */
export function asNobody<T>(call: () => T): T {
  if (process.getuid?.() !== 0) return call();
  process.seteuid?.(NOBODY);
  try {
    return call();
  } finally {
    process.seteuid?.(0);
  }
}

/** A folder that belongs to whoever `asNobody` makes its calls as. */
export function nobodysFolder(): string {
  const folder = tempFolder();
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  return folder;
}
