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

/** Anything that cannot be accessed counts as absent, as in a shell: PATH may contain folders we may not search. */
function seen(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
