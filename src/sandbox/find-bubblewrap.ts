import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../lib/inside.ts";

/** Where systems keep it. Some grant user namespaces to the program at the first of these alone. */
const SYSTEM_PLACES = ["/usr/bin", "/usr/local/bin", "/bin"];

const WRITABLE_BY_OTHERS = 0o022;

/** The bubblewrap program of this machine, or undefined. Never one inside `workspace`, and none that others could replace. */
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
