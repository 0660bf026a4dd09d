import { accessSync, constants, statSync } from "node:fs";
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
