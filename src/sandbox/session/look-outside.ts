import { readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readIfThere } from "../../lib/files/read-file.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { isStandIn } from "./stand-ins.ts";
import { bytesOf, type HeldFolder, holdFolder, textOf, withParent } from "./held-folder.ts";

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
  const records = list.toString("latin1").split("\0");
  const named = (kind: string) => records.filter((each) => each.startsWith(kind)).map((each) => each.slice(1));
  const roots = named("w").toSorted((one, other) => one.length - other.length);
  const kept = join(folder, KEPT);
  const results = new Map<string, boolean>();
  for (const path of named("m")) {
    // What was a link when the session began, and still is one, is the user's.
    const own = named("l").includes(path) && withParent(path, (above, name) => above.stat(name)?.isSymbolicLink());
    if (own === true) continue;
    const root = roots.find((each) => path.startsWith(`${each}/`));
    if (root === undefined) continue;
    using above = holdFolder(root);
    if (above !== undefined) lookBelow(above, path.slice(root.length + 1).split("/"), { path: root, kept, results });
  }
  const found = [...results].map(([path, isMoved]): FoundOutside => ({
    type: isMoved ? "moved" : "left",
    path: textOf(path),
    kept: finalKept(kept),
  }));
  if (found.every(({ type }) => type === "moved")) rmSync(join(folder, WATCHED), { force: true });
  return found;
}

interface LookPlace {
  readonly path: string;
  readonly kept: string;
  readonly results: Map<string, boolean>;
}

/** Takes away what has the last of the names, or a link that stands in the place of a folder on the way. */
function lookBelow(folder: HeldFolder, [name = "", ...rest]: readonly string[], place: LookPlace): void {
  const { path, kept, results } = place;
  const take = (each: string) => results.set(`${path}/${each}`, folder.moveAway(each, kept));
  const stat = folder.stat(name);
  if (stat !== undefined && (rest.length === 0 || stat.isSymbolicLink())) {
    if (!isStandIn(folder.at(name).toString("latin1"))) take(name);
  } else if (stat !== undefined) {
    using inner = folder.open(name);
    if (inner !== undefined) lookBelow(inner, rest, { ...place, path: `${path}/${name}` });
  }
  // What the keeper had put aside before it was killed.
  for (const { name: each } of folder.names()) if (/^\.signalbox-[0-9a-f]{32}$/.test(each)) take(each);
}

/** Those that a session of this process needs, and how many do. */
const needed = new Map<string, number>();

/** Keeps others from removing stand-ins while a session starts and runs. Removes them afterwards. */
export function needPlaceholders(paths: readonly string[]): Disposable {
  for (const path of paths) needed.set(path, (needed.get(path) ?? 0) + 1);
  return {
    [Symbol.dispose]() {
      for (const path of paths) needed.set(path, (needed.get(path) ?? 1) - 1);
      removePlaceholders(paths);
    },
  };
}

/** Placeholders that another sandbox still used when ours ended. A sandbox opened later took them for existing. */
const left = new Set<string>();

/**
 * Removes the empty folders that bubblewrap made to mount something on a missing path, and our stand-ins for files, once
 * no other sandbox uses them. Removing one earlier would lift that sandbox's protection.
 */
export function removePlaceholders(paths: readonly string[]): void {
  const all = [...new Set([...left, ...paths])]
    .filter((path) => withParent(bytesOf(path), (folder, name) => folder.stat(name)) !== undefined)
    .toSorted((one, other) => other.length - one.length);
  left.clear();
  const mounted = all.length === 0 ? "" : mountsOfOthers();
  for (const path of all) {
    const isUsed = (needed.get(path) ?? 0) > 0 || mounted.includes(` ${octal(path)} `);
    const isRemoved = !isUsed && withParent(bytesOf(path), removeEmpty) !== false;
    if (!isRemoved) left.add(path);
  }
}

/** False if there is something in it: another sandbox's placeholder, or what somebody outside put there. */
function removeEmpty(folder: HeldFolder, name: string): boolean {
  const path = folder.at(name);
  try {
    if (isStandIn(path.toString("latin1"))) unlinkSync(path);
    else rmdirSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EACCES" || (folder.stat()?.mode ?? 0n) % 0o1000n >= 0o700n)
      return errorCode(error) !== "ENOTEMPTY";
    folder.regain();
    return removeEmpty(folder, name);
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
