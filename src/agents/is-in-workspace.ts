import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isInside } from "../lib/inside.ts";
import { linkHops } from "../lib/link-hops.ts";

/** Whether a program, or a link on the way to it, lies in one of these folders, under whatever name the folder is reached. */
export function isInWorkspace(path: string, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  const hops = linkHops(path);
  if (hops.some((hop) => folders.some((folder) => isInside(hop, folder)))) return true;
  // Another spelling on a disk that knows no capital letters, or a second mount of the same folder.
  const known = new Set(folders.filter((folder) => existsSync(folder)).map(identity));
  return [...new Set(hops.flatMap(withFolders))].some((place) => known.has(identity(place)));
}

/** A path and all the folders above it. */
export function withFolders(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...withFolders(dirname(path))];
}

function identity(path: string): string {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
