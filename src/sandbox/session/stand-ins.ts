import { lstatSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { textIfThere } from "../../lib/files/read-file.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { bytesOf, withParent } from "./held-folder.ts";

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

/** Creates a file that is missing, for as long as a session runs. Never through a link, where another one's would be. */
export function makeStandIn(path: string): void {
  withParent(bytesOf(path), (folder, name) => {
    try {
      writeFileSync(folder.at(name), STAND_INS[name] ?? "", { flag: "wx", mode: 0o644 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  });
}

/** Whether it is one of ours, unchanged. */
export function isStandIn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const content = STAND_INS[basename(path)];
  return (
    stat?.isFile() === true && content !== undefined && stat.size === content.length && textIfThere(path) === content
  );
}
