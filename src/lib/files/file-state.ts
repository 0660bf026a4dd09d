import { type BigIntStats, readdirSync, statSync } from "node:fs";

/**
 * Changes whenever the file or folder does, or appears or disappears. Does not read its content. An empty folder counts
 * as missing, since agents create the folders of their rules when they start.
 */
export function fileState(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined || (stat.isDirectory() && readdirSync(path).length === 0) ? "-" : stateOf(stat);
  } catch {
    // A part of the path is not a folder, or may not be searched.
    return "-";
  }
}

/** Changes whenever the file does, without reading its content. Throws when the file does not exist. */
export const fileFingerprint = (path: string): string => `${path}:${stateOf(statSync(path, { bigint: true }))}`;

const stateOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) => [dev, ino, size, mtimeNs, ctimeNs].join(":");
