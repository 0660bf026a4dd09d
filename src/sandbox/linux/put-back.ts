import { cpSync, lstatSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../lib/path/inside.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { PARTS } from "../session/git-places.ts";
import { entriesOf } from "../session/held-paths.ts";
import type { SessionView } from "../session/session-plan.ts";
import { writablePaths } from "./landlock-rules.ts";

/** In a session's folder: copies of protected paths, numbered like the records that name them (sandbox-init/held.h). */
const HELD = "held";

/**
 * Protected paths in folders that commands can write. Nothing can be mounted in the Landlock form, so they are looked
 * at from outside, and put back when a command has changed one.
 */
export function changeablePaths(view: SessionView): readonly string[] {
  const writable = writablePaths(view);
  const closed = view.mounts.filter(({ kind, path }) => {
    const isWithin = writable.some((root) => root !== path && isInside(path, root));
    return kind === "read-only" && path !== view.workspace && isWithin;
  });
  const paths = closed.flatMap(({ path }) =>
    /\/\.git\/(?:modules|worktrees)$/.test(path) ? recordsBelow(path) : without(path, writable),
  );
  return [...new Set([...paths, ...view.links, ...view.standIns])];
}

/** A path without the parts of it that are open; then what is new beside these is not seen. */
function without(path: string, open: readonly string[]): readonly string[] {
  if (open.includes(path)) return [];
  if (!open.some((each) => isInside(each, path))) return [path];
  return entriesOf(path).flatMap(({ name }) => without(join(path, name), open));
}

const MAX_DEPTH = 6;

/** Of submodules and worktrees what runs code or leads git elsewhere. The rest are records, which change all the time. */
function recordsBelow(folder: string, depth = 0): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name !== "modules" && [...PARTS, "gitdir"].includes(entry.name)) return [path];
    return entry.isDirectory() && depth < MAX_DEPTH && !["objects", "refs", "logs"].includes(entry.name)
      ? recordsBelow(path, depth + 1)
      : [];
  });
}

const MAX_PATHS = 4000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Copies what the keeper will put back, and returns its records. */
export function copyChangeable(folder: string, paths: readonly string[]): readonly string[] {
  if (paths.length > MAX_PATHS) throw tooMuch(paths[0] ?? "/", `${paths.length} protected paths`);
  const copies = join(folder, HELD);
  mkdirSync(copies, { mode: 0o700 });
  let bytes = 0;
  for (const [number, path] of paths.entries()) {
    const mayCopy = (source: string) => {
      const stat = lstatSync(source);
      bytes += stat.isFile() ? stat.size : 0;
      if (bytes > MAX_BYTES) throw tooMuch(path, "more than 256 MB that is protected");
      return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
    };
    copy(path, join(copies, String(number)), mayCopy);
  }
  return paths.map((path) => `p${path}`);
}

function copy(path: string, target: string, filter: (source: string) => boolean): void {
  try {
    cpSync(path, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter });
  } catch (error) {
    // Gone by now, or not ours to read: then a change ends the session.
    if (!["ENOENT", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) throw error;
  }
}

const tooMuch = (path: string, what: string) =>
  new UserError(`there is ${what} in ${dirname(path)}, too much to put back after each command`, {
    where: path,
    fix: `to look: du -sh ${shQuote(path)}. Remove what a command has made, or start in a smaller folder (${basename(path)} is one of them)`,
    exitCode: EXIT.refused,
  });
