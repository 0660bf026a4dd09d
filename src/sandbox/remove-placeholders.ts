import { dirname } from "node:path";
import { readdirSync, readFileSync, readlinkSync, rmdirSync, unlinkSync } from "node:fs";
import { errorCode } from "../lib/error-code.ts";
import { isStandIn } from "./git-places.ts";
import { openFolder, statOf } from "./look-outside.ts";

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
