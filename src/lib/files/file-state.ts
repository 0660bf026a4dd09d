import { readdirSync, statSync } from "node:fs";

/**
 * Changes whenever the file or folder does, or appears or disappears. Does not read its content. An empty folder counts
 * as missing, since agents create the folders of their rules when they start.
 */
export function fileState(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined || (stat.isDirectory() && readdirSync(path).length === 0)) return "-";
    return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":");
  } catch {
    // A part of the path is not a folder, or may not be searched.
    return "-";
  }
}

/** Changes whenever the file does, without reading its content. Throws when the file does not exist. */
export function fileFingerprint(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [path, dev, ino, size, mtimeMs, ctimeMs].join(":");
}
