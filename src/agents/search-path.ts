import { existsSync, lstatSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { isExecutable, isFile } from "../lib/path/find-program.ts";
import { isInside, unsafeWorkspace } from "../lib/path/inside.ts";
import { linkHops, realIfThere } from "../lib/path/real-path.ts";
import { gitTop } from "../lib/path/workspace.ts";

/** Where to search for programs by name, and the folders whose programs must not be used. */
export interface ProgramSearch {
  readonly env: NodeJS.ProcessEnv;
  /** The base of relative and empty PATH entries. */
  readonly cwd: string;
  readonly avoid: readonly string[];
}

/** The result of a search. */
export interface Found {
  /** The first match outside the folders to avoid. */
  readonly path: string | undefined;
  /** Earlier matches inside those folders. */
  readonly passedOver: readonly string[];
}

/** Searches PATH like the system does, but skips programs inside a folder to avoid. */
export function searchPath(name: string, { env, cwd, avoid }: ProgramSearch): Found {
  const passedOver: string[] = [];
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    // Not normalised: the system resolves `..` after following links.
    const path = `${folder.startsWith("/") ? folder : resolve(cwd, folder)}/${name}`;
    if (!isFile(path) || !isExecutable(path)) continue;
    if (!isInWorkspace(path, avoid)) return { path, passedOver };
    passedOver.push(path);
  }
  return { path: undefined, passedOver };
}

/**
 * Folders whose content may come from a repository or an agent: those that an agent works in, every repository around them,
 * and the main work tree of a linked one. Excludes plain folders that are too broad for a workspace, such as the home.
 */
export function workspaceFolders(workedIn: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const home = realIfThere(env["HOME"] ?? homedir());
  return [...new Set(workedIn.flatMap((folder) => around(realIfThere(folder), home)))];
}

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
function withFolders(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...withFolders(dirname(path))];
}

function identity(path: string): string {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

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
