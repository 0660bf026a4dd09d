import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../lib/inside.ts";

/** Where systems install it. Some grant user namespaces only to the program at the first of these paths. */
const SYSTEM_PLACES = ["/usr/bin", "/usr/local/bin", "/bin"];

const WRITABLE_BY_OTHERS = 0o022;

/**
 * This machine's bubblewrap program, or undefined. Never one inside `workspace` or one that other users could replace.
 */
export function findBubblewrap(workspace: string, path = process.env["PATH"] ?? ""): string | undefined {
  const folders = [...SYSTEM_PLACES, ...path.split(delimiter).filter(isAbsolute)];
  return folders.map((folder) => join(folder, "bwrap")).find((file) => isTrusted(file, workspace));
}

function isTrusted(file: string, workspace: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    const real = realpathSync(file);
    const stat = statSync(real);
    return stat.isFile() && (stat.mode & WRITABLE_BY_OTHERS) === 0 && !isInside(real, workspace);
  } catch {
    return false;
  }
}
