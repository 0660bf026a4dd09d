import { chmodSync, lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { errorCode, messageOf } from "../lib/text/user-error.ts";
import { isInside } from "../lib/path/inside.ts";
import { readBounded } from "../lib/files/read-file.ts";
import { Unfit } from "./json-edit.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** The current state of a file in the repository. */
export interface RepositoryFile {
  /** Its real path relative to the repository, with links inside the repository resolved. */
  readonly path: string;
  readonly bytes: Buffer | undefined;
  readonly mode: number;
  /** Why it cannot be changed. */
  readonly locked: string | undefined;
}

/** Reads a path in the repository. Throws `Unfit` for a link out of it and for anything that is not a file. */
export function lookAt(root: string, path: string): RepositoryFile {
  const { folder, rest } = walk(root, path);
  const at = join(folder, ...rest);
  const closed = isWritable(statSync(folder)) ? undefined : "its folder is read-only";
  const link = rest.length > 1 ? undefined : lstatSync(at, { throwIfNoEntry: false });
  if (link === undefined) return { path: relative(root, at), bytes: undefined, mode: 0o644, locked: closed };
  const real = link.isSymbolicLink() ? followed(root, at) : at;
  const stat = statSync(real);
  if (!stat.isFile()) throw new Unfit("it is not a file");
  const locked = isWritable(stat) ? closed : "it is read-only";
  return { path: relative(root, real), bytes: readBounded(real, MAX_BYTES).bytes, mode: stat.mode & 0o777, locked };
}

/** The last existing folder on a path, and the remaining steps. */
function walk(root: string, path: string): { readonly folder: string; readonly rest: readonly string[] } {
  const parts = path.split("/");
  let folder = root;
  for (const [index, part] of parts.slice(0, -1).entries()) {
    const at = join(folder, part);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return { folder, rest: parts.slice(index) };
    folder = stat.isSymbolicLink() ? followed(root, at) : at;
    if (!statSync(folder).isDirectory()) throw new Unfit(`${relative(root, at)} is not a folder`);
  }
  return { folder, rest: parts.slice(-1) };
}

function followed(root: string, link: string): string {
  let real: string;
  try {
    real = realpathSync(link);
  } catch {
    throw new Unfit(`${relative(root, link)} is a broken link`);
  }
  if (isInside(real, root) && !isInside(real, join(root, ".git"))) return real;
  throw new Unfit(`${relative(root, link)} is a link out of the repository`);
}

/** Checks the mode bits, because for root every file is writable, and that would ignore the user's intent. */
const isWritable = (stat: Stats) => (stat.mode & 0o200) !== 0;

/** Replaces a file that was read before. Returns the folders that were created for it. */
export function replaceFile(root: string, seen: RepositoryFile, content: Uint8Array): readonly string[] {
  unchanged(root, seen);
  const path = join(root, seen.path);
  const made = makeFolders(root, dirname(path));
  atomicWrite(path, content, seen.mode);
  // The umask applies to a new file; an existing file keeps its mode.
  if (seen.bytes !== undefined) chmodSync(path, seen.mode);
  return made;
}

export function deleteFile(root: string, seen: RepositoryFile): void {
  unchanged(root, seen);
  rmSync(join(root, seen.path), { force: true });
}

/** An editor may have saved the file in the meantime. */
function unchanged(root: string, seen: RepositoryFile): void {
  const { bytes, path } = lookAt(root, seen.path);
  if (
    path !== seen.path ||
    bytes?.equals(seen.bytes ?? Buffer.alloc(0)) !== (seen.bytes === undefined ? undefined : true)
  )
    throw new Unfit("it changed in the meantime; run the command again");
}

function makeFolders(root: string, folder: string): readonly string[] {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return [];
  const made: string[] = [];
  for (let at = folder; at !== dirname(first); at = dirname(at)) made.push(relative(root, at));
  return made;
}

/** Removes those of our folders that are now empty, deepest first. Returns the ones that remain. */
export function removeFolders(root: string, folders: readonly string[]): readonly string[] {
  const deepestFirst = folders.toSorted((one, other) => other.split("/").length - one.split("/").length);
  return deepestFirst.filter((folder) => {
    const path = join(root, folder);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    try {
      rmdirSync(path);
      return false;
    } catch {
      // It contains someone else's files.
      return true;
    }
  });
}

/** Explains to the user why a file was not written. */
export function writeProblem(error: unknown): string {
  const code = errorCode(error);
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") return `it cannot be written (${code})`;
  return messageOf(error);
}
