import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first program with that name on a search path, which should be a safe one (safe-path.ts). */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(runs);
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

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

const PLACES = ["/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/**
 * The system's own path of a program, so that no folder on PATH can substitute another. Undefined when there is none.
 */
export const systemProgram = (name: string): string | undefined =>
  PLACES.map((folder) => join(folder, name)).find((path) => existsSync(path));
