import { accessSync, constants, lstatSync, type Dirent, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isInside } from "../../lib/path/inside.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { bytesOf, holdFolder } from "./held-folder.ts";
import type { Mount } from "./mounts.ts";

/** How protected paths in folders that commands can write are held. */
export interface Held {
  readonly mounts: readonly Mount[];
  /** Nothing is there, so nothing can be mounted; the helper watches them. */
  readonly missing: readonly string[];
  /** A link cannot be mounted over either. The helper watches it, and what it leads to is held. */
  readonly links: readonly string[];
}

export const NOTHING: Held = { mounts: [], missing: [], links: [] };

export const joinHeld = (held: readonly Held[]): Held => ({
  mounts: held.flatMap(({ mounts }) => mounts),
  missing: [...new Set(held.flatMap(({ missing }) => missing))],
  links: [...new Set(held.flatMap(({ links }) => links))],
});

const MAX_LINKS = 8;

/**
 * Holds one path below one of these folders, whatever is there now. Never through a link: where one is on the way, the
 * place that it leads to is held instead, if commands can write there.
 */
export function holdPath(path: string, access: "read" | "write", roots: readonly string[], links = 0): Held {
  const root = roots.filter((each) => path !== each && isInside(path, each)).toSorted((a, b) => b.length - a.length)[0];
  if (root === undefined) return NOTHING;
  for (const part of [...above(path, root), path]) {
    const stat = statOf(part);
    if (stat === undefined) return access === "read" ? NOTHING : { ...NOTHING, missing: [path] };
    if (stat.isSymbolicLink()) {
      const target = linkTarget(part);
      if (target === undefined || links === MAX_LINKS) return NOTHING;
      const behind = holdPath(target + path.slice(part.length), access, roots, links + 1);
      return access === "read" ? behind : { ...behind, links: [part, ...behind.links] };
    }
    if (part !== path) continue;
    const hidden = stat.isDirectory() ? "empty-folder" : "empty-file";
    return { ...NOTHING, mounts: [{ kind: access === "read" ? hidden : "read-only", path }] };
  }
  return NOTHING;
}

/** Where a link leads, also if nothing is there yet. */
function linkTarget(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return lexicalTarget(link);
  }
}

function lexicalTarget(link: string): string | undefined {
  try {
    return resolve(realpathSync(dirname(link)), readlinkSync(link));
  } catch {
    // It is gone.
    return undefined;
  }
}

/** What is in a folder, also if it is closed. None if there is no such folder any more. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return [];
    if (code !== "EACCES") throw error;
    return entriesOfClosed(folder, error);
  }
}

/** Commands could open our own folders again. One of somebody else is of no use to them, unless they can go into it. */
function entriesOfClosed(folder: string, cause: unknown): readonly Dirent[] {
  if (statOf(folder)?.uid === process.getuid?.()) {
    openFolder(folder);
    return readdirSync(folder, { withFileTypes: true });
  }
  try {
    accessSync(folder, constants.X_OK);
  } catch {
    return [];
  }
  throw new UserError(`the sandbox cannot see what has to be protected in ${folder}, which belongs to another user`, {
    where: folder,
    fix: `to look: ls -ld ${shQuote(folder)}. To let signalbox read it: chmod o+r ${shQuote(folder)}`,
    exitCode: EXIT.refused,
    cause,
  });
}

/** The folders between `root` and `path`, outermost first, excluding both. */
export function above(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isInside(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}

/** The path, and the folders above it that have to be mounts, so that none can be moved away and replaced. */
export const withPins = (mounts: readonly Mount[], roots: readonly string[]): readonly Mount[] => {
  const closed = mounts.filter(({ kind }) => kind !== "writable");
  const pins = mounts.flatMap(({ path }) =>
    roots.filter((root) => isInside(path, root)).flatMap((root) => above(path, root)),
  );
  const isCovered = (pin: string) => closed.some(({ path }) => isInside(pin, path));
  return [
    ...[...new Set(pins)].filter((pin) => !isCovered(pin)).map((path): Mount => ({ kind: "writable", path })),
    ...mounts,
  ];
};

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

/** Gives the owner's rights back to a folder that a command has closed, also if another one moves it meanwhile. */
function openFolder(path: string): void {
  using folder = holdFolder(bytesOf(path));
  folder?.regain();
}
