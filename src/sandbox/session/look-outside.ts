import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { randomId } from "../../lib/files/random-id.ts";
import { readIfThere } from "../../lib/files/read-file.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { isInside } from "../../lib/path/inside.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { isStandIn } from "./stand-ins.ts";

/** In a session's folder: which paths are protected and were missing. The keeper removes it after a good last look. */
export const WATCHED = "watched";

/** In a session's folder: what was taken away. */
export const KEPT = "kept";

/** `moved`: it was there and is in `kept` now. `left`: it is still there. */
export interface FoundOutside {
  readonly type: "moved" | "left";
  readonly path: string;
  /** Where it is once the session's folder is removed. */
  readonly kept: string;
}

/** A session's `kept` moves to the user's. */
export const finalKept = (kept: string) => join(dirname(dirname(dirname(kept))), KEPT, basename(dirname(kept)));

/**
 * Looks at every protected path that a session watched, after everything in it has ended, if its keeper has not done so:
 * it was killed, or could not take something away. Whatever is there counts as made by a command.
 */
export function lookOutside(folder: string): readonly FoundOutside[] {
  const list = readIfThere(join(folder, WATCHED));
  if (list === undefined) return [];
  const records = list.toString("utf8").split("\0");
  const named = (kind: string) => records.filter((each) => each.startsWith(kind)).map((each) => each.slice(1));
  const roots = named("w");
  const kept = join(folder, KEPT);
  // What was a link when the session began, and still is one, is the user's.
  const isOwnLink = (path: string) => named("l").includes(path) && statOf(path)?.isSymbolicLink() === true;
  const found = named("m").flatMap((path) => (isOwnLink(path) ? [] : firstFound(path, roots)));
  const all = [...new Set([...found, ...foldersOf(named("m"), roots).flatMap(putAside)])];
  const results = all.map((path): FoundOutside => ({
    type: moveAway(path, kept) ? "moved" : "left",
    path,
    kept: finalKept(kept),
  }));
  if (results.every(({ type }) => type === "moved")) rmSync(join(folder, WATCHED), { force: true });
  return results;
}

/** The path, or the link that stands in the place of a folder above it. */
function firstFound(path: string, roots: readonly string[]): readonly string[] {
  for (const part of partsBelow(path, roots)) {
    const stat = statOf(part);
    if (stat === undefined) return [];
    if (part === path || stat.isSymbolicLink()) return isStandIn(part) ? [] : [part];
    if (!stat.isDirectory()) return [];
  }
  return [];
}

/** Each folder between a root and the path, outermost first, then the path. */
function partsBelow(path: string, roots: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (let part = path; !roots.includes(part) && part !== dirname(part); part = dirname(part)) parts.unshift(part);
  return roots.some((root) => isInside(path, root)) ? parts : [];
}

const foldersOf = (paths: readonly string[], roots: readonly string[]) => [
  ...new Set(paths.flatMap((path) => partsBelow(path, roots).map((part) => dirname(part)))),
];

/** What the keeper had put aside before it was killed. */
function putAside(folder: string): readonly string[] {
  try {
    if (lstatSync(folder).isSymbolicLink()) return [];
    const names = readdirSync(folder).filter((name) => /^\.signalbox-[0-9a-f]{32}$/.test(name));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const OWNER_RIGHTS = 0o700;

/** What is at a path, also in a folder that a command has closed. */
export function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined;
    if (errorCode(error) !== "EACCES") throw error;
    openFolder(dirname(path));
    return lstatSync(path, { throwIfNoEntry: false });
  }
}

/** Gives the owner's rights back to a folder that a command has closed. */
export function openFolder(folder: string): void {
  const stat = statOf(folder);
  if (stat?.isDirectory() === true && (stat.mode & OWNER_RIGHTS) !== OWNER_RIGHTS)
    chmodSync(folder, (stat.mode | OWNER_RIGHTS) & 0o7777);
}

/** Into `kept`; what a command closed is opened first. False if it is still there. */
export function moveAway(path: string, kept: string): boolean {
  try {
    mkdirSync(kept, { recursive: true, mode: OWNER_RIGHTS });
    const target = join(kept, `${randomId()}-${basename(path)}`.slice(0, 200));
    openFolder(dirname(path));
    if (!lstatSync(path).isSymbolicLink()) spawnSync(systemProgram("chmod") ?? "chmod", ["-R", "u+rwX", "--", path]);
    try {
      renameSync(path, target);
    } catch (error) {
      if (errorCode(error) !== "EXDEV") throw error;
      spawnSync(systemProgram("mv") ?? "mv", ["-T", "--", path, target]);
    }
  } catch {
    // The caller names what is still there.
  }
  return statOf(path) === undefined;
}

/** Placeholders that another sandbox still used when ours ended. A sandbox opened later took them for existing. */
const left = new Set<string>();

/**
 * Removes the empty folders that bubblewrap made to mount something on a missing path, and our stand-ins for files, once
 * no other sandbox uses them. Removing one earlier would lift that sandbox's protection.
 */
export function removePlaceholders(paths: readonly string[]): void {
  const all = [...new Set([...left, ...paths])]
    .filter((path) => statOf(path) !== undefined)
    .toSorted((one, other) => other.length - one.length);
  left.clear();
  const mounted = all.length === 0 ? "" : mountsOfOthers();
  for (const path of all) {
    if (mounted.includes(` ${octal(path)} `) || !removeEmpty(path)) left.add(path);
  }
}

/** A command has closed the folder; now it is open. */
function wasClosed(folder: string): boolean {
  const before = statOf(folder)?.mode;
  openFolder(folder);
  return statOf(folder)?.mode !== before;
}

/** False if there is something in it: another sandbox's placeholder, or what somebody outside put there. */
function removeEmpty(path: string): boolean {
  try {
    if (isStandIn(path)) unlinkSync(path);
    else rmdirSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EACCES" || !wasClosed(dirname(path))) return errorCode(error) !== "ENOTEMPTY";
    return removeEmpty(path);
  }
}

/** The mount tables of processes in other mount namespaces. */
function mountsOfOthers(): string {
  const own = readlinkSync("/proc/self/ns/mnt");
  const tables = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const space = readlinkSync(`/proc/${pid}/ns/mnt`);
      if (space !== own && !tables.has(space)) tables.set(space, readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
    } catch {
      // The process ended or belongs to another user.
    }
  }
  return [...tables.values()].join("\n");
}

/** How mount tables escape blanks and backslashes. */
const octal = (path: string) =>
  path.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
