import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { type OpenFolder, openFolder } from "../lib/files/open-folder.ts";
import { randomId } from "../lib/files/random-id.ts";
import { errorCode } from "../lib/text/user-error.ts";

interface NewFile {
  readonly name: string;
  /** The finished file or link, in a folder of our own. */
  readonly staged: string;
  /** Exact permissions, where they are known. */
  readonly mode: number | undefined;
}

/**
 * Puts a file or link in its place, completely or not at all. Throws EEXIST when `replaces` is false and something is
 * there by now.
 */
export function installFile(folder: OpenFolder, file: NewFile, replaces: boolean): void {
  const target = folder.at(file.name);
  const temporary = folder.at(temporaryName());
  const there = lstatSync(target, { throwIfNoEntry: false });
  try {
    copy(file, temporary, there);
    // Only an empty folder can be replaced.
    if (there?.isDirectory() === true && replaces) rmdirSync(target);
    if (replaces) renameSync(temporary, target);
    else moveToFree(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function copy({ staged, mode }: NewFile, temporary: string, there: Stats | undefined): void {
  const stat = lstatSync(staged);
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(staged, { encoding: "buffer" }), temporary);
    return;
  }
  // By descriptor: another program that works here could put a link to a file of its choice in the temporary's place.
  const [from, to] = [openSync(staged, "r"), openSync(temporary, "wx", 0o600)];
  try {
    const chunk = Buffer.alloc(Math.min(stat.size, CHUNK));
    for (let size = 0; (size = readSync(from, chunk)) > 0;) writeWhole(to, chunk.subarray(0, size));
    fchmodSync(to, mode ?? usualMode(stat.mode, there));
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

const CHUNK = 1024 * 1024;

function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/** Git knows only whether a file is executable, so the rest stays as it is. */
function usualMode(staged: number, there: Stats | undefined): number {
  const rest = (there?.isFile() === true ? there.mode : staged) & 0o666;
  return (staged & 0o100) === 0 ? rest : rest | ((rest & 0o444) >> 2);
}

function moveToFree(temporary: string, target: string): void {
  try {
    linkSync(temporary, target);
  } catch (error) {
    // Some disks have no hard links; there another program could win the race.
    if (!["EPERM", "ENOTSUP", "EMLINK"].includes(errorCode(error) ?? "") || existsAt(target)) throw error;
    renameSync(temporary, target);
  }
}

/** The folders above a path of the workspace, outermost first. */
export const folderNames = (path: string): readonly string[] =>
  dirname(path)
    .split("/")
    .filter((name) => name !== "." && name !== "");

/** Removes a file or link of a workspace, and the folders that become empty, as git does. Never follows a link. */
export function removeFile(workspace: string, path: string): void {
  for (let at = path; at !== "."; at = dirname(at)) {
    using folder = openFolder(workspace, folderNames(at), false);
    if (folder === undefined) return;
    if (at === path) rmSync(folder.at(basename(at)), { force: true });
    else if (!removeEmpty(folder.at(basename(at)))) return;
  }
}

/** Removes a folder if it is empty. */
export function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    // It still has files.
    return false;
  }
}

const existsAt = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A name for a file that is being prepared beside its place. It says whose it is. */
const temporaryName = (): string => `.signalbox-${process.pid}-${randomId()}.tmp`;

const NAME = /^\.signalbox-([1-9]\d{0,9})-[0-9a-f]{32}\.tmp$/;

/** Removes what processes that were killed have left in a folder. */
export function removeLeftFiles(folder: OpenFolder): void {
  for (const name of readdirSync(folder.at("."))) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(folder.at(name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}
