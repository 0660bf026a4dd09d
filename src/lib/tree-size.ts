import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The bytes of a file, or of all files in a folder. Links count as themselves. What cannot be read counts as nothing. */
export function treeSize(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return stat?.size ?? 0;
  return namesIn(path).reduce((sum, name) => sum + treeSize(join(path, name)), 0);
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // Unreadable for us. The removal will report it.
    return [];
  }
}
