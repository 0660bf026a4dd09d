import { lstatSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readIfThere } from "../../lib/files/read-file.ts";
import { errorCode } from "../../lib/text/user-error.ts";

/** By name: `commondir` leads from the repository's folder to itself. */
const STAND_INS: Readonly<Record<string, string>> = { commondir: ".\n", "config.worktree": "" };

/**
 * Files of the repository's folders that git would read settings from, and that are missing or stand-ins of ours. A
 * stand-in says what git assumes without the file, and is read-only for commands, so that they cannot make one.
 */
export const standInsOf = (folders: readonly string[]) =>
  folders
    .flatMap((folder) => Object.keys(STAND_INS).map((name) => join(folder, name)))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined || isStandIn(path));

/** Creates the files that are missing, for as long as a session runs. */
export function makeStandIn(path: string): void {
  try {
    writeFileSync(path, STAND_INS[basename(path)] ?? "", { flag: "wx", mode: 0o644 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Whether it is one of ours, unchanged. */
export function isStandIn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const content = STAND_INS[basename(path)];
  return (
    stat?.isFile() === true &&
    content !== undefined &&
    stat.size === content.length &&
    readIfThere(path)?.toString("utf8") === content
  );
}
