import { accessSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, EXIT, UserError } from "../text/user-error.ts";

/**
 * Creates a private folder of ours, and its parents, if missing. If it cannot be created or written, throws a user
 * error.
 */
export function makeFolder(path: string): void {
  try {
    makeLevels(path);
    accessSync(path, constants.W_OK);
  } catch (cause) {
    throw unusableFolder(path, cause);
  }
}

/** The message for a folder of ours that cannot be used; `where` is the part of the path that causes it. */
export function unusableFolder(path: string, cause: unknown): UserError {
  return new UserError(`signalbox cannot store its files here (${errorCode(cause) ?? String(cause)})`, {
    where: lastThere(path),
    fix: "make it a writable folder, or set HOME or SIGNALBOX_HOME to one",
    exitCode: EXIT.failed,
    cause,
  });
}

/**
 * Not `recursive: true`, which loops forever where a folder cannot be created and the system says "not found", as in
 * /proc.
 */
function makeLevels(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeLevels(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/** The path itself, or its nearest existing parent. */
function lastThere(path: string): string {
  try {
    lstatSync(path);
    return path;
  } catch {
    return dirname(path) === path ? path : lastThere(dirname(path));
  }
}
