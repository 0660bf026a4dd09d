import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../text/user-error.ts";

/**
 * The names in a folder; none when it does not exist. Throws for a non-folder or an unreadable folder, which must not
 * look empty.
 */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The bytes of a file, or of all files in a folder. Links count as themselves. What cannot be read counts as nothing. */
export function treeSize(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return stat?.size ?? 0;
  return namesIn(path).reduce((sum, name) => sum + treeSize(join(path, name)), 0);
}

/** The names in a folder; none where there is no such folder, or it cannot be read. */
export function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

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
