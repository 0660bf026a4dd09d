import { createHash } from "node:crypto";
import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { BlockedFolder, openFolder } from "../lib/open-folder.ts";
import { readBounded } from "../lib/read-bounded.ts";
import type { FileState } from "./state-changes.ts";

/** A larger file is not read: it is in no snapshot either. */
const MAX_READ = 64 * 1024 * 1024;

/** A file that is there and cannot be compared. */
export interface UnknownFile {
  readonly because: string;
}

export const isUnknown = (file: FileState | UnknownFile | null): file is UnknownFile =>
  file !== null && "because" in file;

/**
 * What is at a path of the workspace now. A folder counts as nothing, because snapshots have no folders. No link is
 * followed. `oidLength` tells the hash of the repository.
 */
export function presentFile(workspace: string, path: string, oidLength: number): FileState | UnknownFile | null {
  try {
    using folder = openFolder(workspace, folderNames(path), false);
    if (folder === undefined) return null;
    return look(folder.at(basename(path)), oidLength);
  } catch (error) {
    // A file or link is where its folder was.
    if (error instanceof BlockedFolder) return null;
    return { because: `it cannot be read (${errorCode(error) ?? String(error)})` };
  }
}

function look(file: string, oidLength: number): FileState | UnknownFile | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return null;
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink())
    return { kind: "link", oid: blobId(readlinkSync(file, { encoding: "buffer" }), oidLength), mode, part: "" };
  if (!stat.isFile()) return { because: "it is not a file any more" };
  if (stat.size > MAX_READ) return { because: "it is too large to be compared" };
  return { kind: "file", oid: blobId(readBounded(file, MAX_READ).bytes, oidLength), mode, part: "" };
}

const blobId = (content: Buffer, oidLength: number) =>
  createHash(oidLength === 40 ? "sha1" : "sha256")
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest("hex");

/** The folders above a path of the workspace, outermost first. */
export const folderNames = (path: string): readonly string[] =>
  dirname(path)
    .split("/")
    .filter((name) => name !== "." && name !== "");
