import { accessSync, constants, statSync } from "node:fs";

export const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

export const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
