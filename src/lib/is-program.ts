import { accessSync, constants, type Stats, statSync } from "node:fs";

export const isFile = (path: string) => seen(path)?.isFile() ?? false;

export const isFolder = (path: string) => seen(path)?.isDirectory() ?? false;

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What cannot be looked at counts as not there, as in a shell: PATH may name folders that we may not search. */
function seen(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
