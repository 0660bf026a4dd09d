import { statSync } from "node:fs";

/** Changes whenever the file or folder does, or appears or disappears. Does not read its content. */
export function fileState(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? "-" : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":");
  } catch {
    // A part of the path is not a folder, or may not be searched.
    return "-";
  }
}
