import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import type { Machine, PathKind } from "../../contract/machine.ts";
import { readBounded, textIfReadable } from "../../lib/files/read-file.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { gitAltered, gitChanges, gitTracked } from "./git-changes.ts";

const MAX_TEXT = 65_536;

const FRESH_MS = 5000;

let last: { readonly at: number; readonly points: readonly string[] } | undefined;

const MAX_INDEX = 128 * 1024 * 1024;

const LINK = 0o160000;

const MODES: ReadonlySet<number> = new Set([0o040000, 0o100000, 0o120000, LINK]);

/** How long an object's name is in the index, which does not say so. */
const SHA1 = 20;

const SHA256 = 32;

/** The real machine. Host names are not resolved; whoever opens the connection checks the addresses again. */
export const realMachine: Machine = {
  readLink: (path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
    } catch (error) {
      // A path below a file cannot exist, so it is not a link either.
      if (errorCode(error) === "ENOTDIR") return undefined;
      throw error;
    }
  },
  addresses: () => undefined,
  now: () => Date.now(),
  kind: (path) => {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat === undefined ? undefined : kindOf(stat);
    } catch {
      // The folder cannot be searched, so opening the path will fail as well.
      return undefined;
    }
  },
  readText: (path) => textIfReadable(path, MAX_TEXT),
  gitChanges,
  gitTracked,
  gitAltered,
  gitLinks,
  mounts: mountPoints,
};

function kindOf(stat: Stats): PathKind {
  if (stat.isSymbolicLink()) return "link";
  if (stat.isDirectory()) return "folder";
  return stat.isFile() ? "file" : "special";
}

/**
 * This machine's mount points, or none if the system doesn't list them. Agents lack the rights to mount anything, so
 * the list is cached for a few seconds.
 */
function mountPoints(): readonly string[] {
  const at = Date.now();
  if (last === undefined || at - last.at > FRESH_MS || at < last.at) last = { at, points: readPoints() };
  return last.points;
}

function readPoints(): readonly string[] {
  try {
    return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return [];
  }
}

/** Parses the mount points from a `mountinfo` text: the fifth field, with blanks and backslashes as octal escapes. */
export function parseMounts(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point !== "")
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))));
}

/** See `Machine.gitLinks`. Reads the file itself, because starting git for every command takes too long. */
export function gitLinks(index: string): readonly string[] {
  try {
    const { bytes } = readBounded(index, MAX_INDEX);
    if (bytes.toString("latin1", 0, 4) !== "DIRC") return [];
    return linksIn(bytes, SHA1) ?? linksIn(bytes, SHA256) ?? [];
  } catch {
    // There is no index, so git follows none.
    return [];
  }
}

/** Undefined if the bytes make no sense with names of this length. */
function linksIn(bytes: Buffer, hash: number): readonly string[] | undefined {
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  const links: string[] = [];
  let name = "";
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const flags = at + 40 + hash;
    if (flags + 2 > bytes.length) return undefined;
    const mode = bytes.readUInt32BE(at + 24);
    if (!MODES.has(mode & 0o170000)) return undefined;
    let start = flags + ((bytes.readUInt16BE(flags) & 0x4000) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const removed = readOffset(bytes, start);
      start = removed.next;
      kept = Math.max(0, Buffer.byteLength(name, "latin1") - removed.value);
    }
    const end = bytes.indexOf(0, start);
    if (end === -1) return undefined;
    name = name.slice(0, kept) + bytes.toString("latin1", start, end);
    if ((mode & 0o170000) === LINK) links.push(Buffer.from(name, "latin1").toString("utf8"));
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return links;
}

/** Git's variable-length number: seven bits per byte, and one added for each further byte. */
function readOffset(bytes: Buffer, start: number): { readonly value: number; readonly next: number } {
  let at = start;
  let value = (bytes[at] ?? 0) & 127;
  while (((bytes[at] ?? 0) & 128) !== 0) value = ((value + 1) << 7) + ((bytes[++at] ?? 0) & 127);
  return { value, next: at + 1 };
}
