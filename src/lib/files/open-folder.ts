import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../text/user-error.ts";

/** A folder in which files are replaced. A path from `at` stays in it, even if the folder is moved meanwhile. */
export interface OpenFolder extends Disposable {
  readonly at: (name: string) => string;
}

/** Something other than a folder is in the way. */
export class BlockedFolder extends Error {}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const DESCRIPTORS = "/proc/self/fd";

/**
 * Opens a folder below `root` name by name, never through a link. Undefined if it does not exist and should not be
 * created.
 */
export function openFolder(root: string, names: readonly string[], create: boolean): OpenFolder | undefined {
  let path = root;
  let descriptor = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  const at = (name: string) => (existsSync(DESCRIPTORS) ? `${DESCRIPTORS}/${descriptor}/${name}` : join(path, name));
  try {
    for (const name of names) {
      const next = at(name);
      const stat = lstatSync(next, { throwIfNoEntry: false });
      if (stat === undefined && !create) return closed(descriptor);
      if (stat === undefined) makeFolder(next);
      const inner = openNext(next, join(path, name).slice(root.length + 1));
      closeSync(descriptor);
      descriptor = inner;
      path = join(path, name);
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { at, [Symbol.dispose]: () => closeSync(descriptor) };
}

function closed(descriptor: number): undefined {
  closeSync(descriptor);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function openNext(path: string, shown: string): number {
  try {
    return openSync(path, FOLDER);
  } catch (error) {
    if (!["ELOOP", "ENOTDIR", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
    throw new BlockedFolder(`${shown} is not a folder any more`);
  }
}
