import { existsSync, lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { gitTop } from "../lib/git-top.ts";
import { isInside } from "../lib/inside.ts";
import { linkHops } from "../lib/link-hops.ts";
import { unsafeWorkspace } from "../lib/unsafe-workspace.ts";

/**
 * Folders whose content may come from a repository or an agent: those that an agent works in, every repository around them,
 * and the main work tree of a linked one. Excludes plain folders that are too broad for a workspace, such as the home.
 */
export function workspaceFolders(workedIn: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const home = real(env["HOME"] ?? homedir());
  return [...new Set(workedIn.flatMap((folder) => around(real(folder), home)))];
}

/** A missing folder contains nothing; the program that starts there reports it. */
const real = (folder: string) => (existsSync(folder) ? realpathSync(folder) : folder);

function around(start: string, home: string): readonly string[] {
  const up = withFolders(start);
  const [nearest, ...outer] = up.filter((folder) => existsSync(join(folder, ".git")));
  // A home that is a repository contains the user's own programs, and an agent in a project below it works in the project.
  const belowHome = (folder: string) => !isInside(home, folder);
  const repositories = [nearest ?? [], outer.filter(belowHome)].flat();
  const marked = up.filter((folder) => existsSync(join(folder, ".signalbox", "policy.yaml"))).filter(belowHome);
  const plain = [start, ...marked].filter((folder) => unsafeWorkspace(folder, home) === undefined);
  const common = gitTop(start)?.commonFolder;
  const main = common !== undefined && basename(common) === ".git" ? [dirname(common)] : [];
  // Everything is inside the root folder, so it is useless as a workspace.
  return [...plain, ...repositories, ...main].filter((folder) => folder !== "/");
}

/** Whether a program, or a link on the way to it, is inside one of these folders, under any name of the folder. */
export function isInWorkspace(path: string, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  const hops = linkHops(path);
  if (hops.some((hop) => folders.some((folder) => isInside(hop, folder)))) return true;
  // Catches other spellings on a case-insensitive disk, and second mounts of the same folder.
  const known = new Set(folders.filter((folder) => existsSync(folder)).map(identity));
  return [...new Set(hops.flatMap(withFolders))].some((place) => known.has(identity(place)));
}

/** A path and all its parent folders. */
export function withFolders(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...withFolders(dirname(path))];
}

function identity(path: string): string {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
