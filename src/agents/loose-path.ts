import { lstatSync } from "node:fs";
import { withFolders } from "./workspace-folders.ts";

/** The first of these paths, or of the folders above them, that anyone on this machine can change. */
export function loosePath(hops: readonly string[]): string | undefined {
  return [...new Set(hops.flatMap(withFolders))].find(anyoneMayWrite);
}

/** In a sticky folder such as /tmp, others cannot replace our file. The mode of a link is meaningless. */
function anyoneMayWrite(path: string): boolean {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return false;
  const sticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0;
  return (stat.mode & 0o002) !== 0 && !sticky;
}
