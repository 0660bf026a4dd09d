import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "./error-code.ts";

/** Removes a file or folder with everything in it, read-only folders included. Links are removed, never followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
    openUp(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** Package managers make the folders of their caches read-only. */
function openUp(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openUp(join(path, name));
}
