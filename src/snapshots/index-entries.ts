import { type BigIntStats, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { shadowOf } from "./snapshot.ts";
import { blobId } from "../lib/files/hash-file.ts";
import { readBounded } from "../lib/files/read-file.ts";
import { type GitCall, gitNames, runGit, runGitBriefly } from "../lib/process/run-git.ts";
import type { Shadow } from "./shadow.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";

/** What a snapshot holds of one file, and what the file looked like on disk when it was taken. */
export interface IndexEntry {
  readonly oid: string;
  readonly stat: string;
  /** When the snapshot was written, in nanoseconds since 1970. */
  readonly written: bigint;
}

/** The files of the snapshot that a store took last, by their path in the workspace. */
export async function indexEntries(
  store: SnapshotStore,
  snapshot: Snapshot,
  signal?: AbortSignal,
): Promise<Map<string, IndexEntry>> {
  const entries = new Map<string, IndexEntry>();
  for (const { path } of snapshot.parts) {
    const { call, prefix, folder } = shadowOf(store, path);
    const where = prefix === "" ? [] : ["--", prefix];
    const { stdout } = await runGit(["ls-files", "--stage", "--debug", "-z", ...where], { ...call, signal });
    const written = statSync(join(folder, "index"), { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
    // A workspace that has become a repository of its own is a part named "./".
    const place = path.replace(/(^|\/)\.\/$/, "$1");
    let count = 0;
    for (const [, mode, oid = "", name = "", times = "", inode = "", size = ""] of stdout
      .toString("utf8")
      .matchAll(ENTRY)) {
      const stat = `${times.replace("\n  mtime: ", " ")} ${inode} ${size}`;
      if (mode !== SUBMODULE) entries.set(place + name.slice(prefix.length), { oid, stat, written });
      if (++count % 5000 === 0) await nextTurn();
    }
  }
  return entries;
}

const SUBMODULE = "160000";

const ENTRY =
  /(\d{6}) ([0-9a-f]+) 0\t([^\0]*)\0  ctime: (\d+:\d+\n  mtime: \d+:\d+)\n  dev: \d+\tino: (\d+)\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n/g;

const SECOND = 1_000_000_000n;

const TICK = 20_000_000n;

const LOW_BITS = 0xffff_ffffn;

/** A file's times, inode and size as git records them. */
function statText(stat: BigIntStats): string {
  const time = (nanoseconds: bigint) => `${(nanoseconds / SECOND) & LOW_BITS}:${nanoseconds % SECOND}`;
  return `${time(stat.ctimeNs)} ${time(stat.mtimeNs)} ${stat.ino & LOW_BITS} ${stat.size & LOW_BITS}`;
}

/** Whether the file changed so shortly before the snapshot that a later change could have left the same times. */
function isRacy({ ctimeNs, mtimeNs }: BigIntStats, written: bigint): boolean {
  // Some disks know only seconds.
  const tick = mtimeNs % SECOND === 0n ? 2n * SECOND : TICK;
  return ctimeNs + tick >= written || mtimeNs + tick >= written;
}

/** A larger file is not read to find out whether it has its old content. */
const MAX_READ = 1024n * 1024n;

/** Whether a file has the content of the entry. A file that was changed and changed back counts too, if it is small. */
export function hasContent(file: string, stat: BigIntStats, entry: IndexEntry): boolean {
  if (statText(stat) === entry.stat && !isRacy(stat, entry.written)) return true;
  if (!stat.isFile() && !stat.isSymbolicLink()) return false;
  if (stat.size > MAX_READ) return false;
  const content = stat.isFile()
    ? readBounded(file, Number(MAX_READ)).bytes
    : readlinkSync(file, { encoding: "buffer" });
  return blobId(content, entry.oid.length) === entry.oid;
}

const IGNORED = "ls-files -z --full-name --others --ignored --exclude-standard --directory".split(" ");

const STATUS = "status --porcelain=v1 -z --untracked-files=no --no-renames --ignore-submodules=all".split(" ");

/** What git ignores in a workspace, and so is not in a snapshot. A folder ends in a slash. */
export async function leftOut(store: SnapshotStore, snapshot: Snapshot, signal?: AbortSignal): Promise<string[]> {
  const places: string[] = [];
  for (const { path, shadow } of parts(store, snapshot)) {
    const where = shadow.prefix === "" ? "." : shadow.prefix;
    const names = await gitNames([...IGNORED, "--", where], { ...shadow.call, signal });
    places.push(...names.map((name) => path + name.slice(shadow.prefix.length)));
  }
  return places;
}

/**
 * The files at or below a path that are as the user's own index has them, so that git can restore them. Undefined when
 * git does not answer in time. Reads the index with our settings: the repository's could start programs.
 */
export function cleanInIndex(
  { store, snapshot }: { readonly store: SnapshotStore; readonly snapshot: Snapshot },
  path: string,
  milliseconds: number,
): ReadonlySet<string> | undefined {
  const part = parts(store, snapshot)
    .filter((each) => `${path}/`.startsWith(each.path))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
  const index = part?.shadow.repository?.index;
  if (part === undefined || index === undefined) return new Set();
  const { call, prefix } = part.shadow;
  const inPart = prefix + path.slice(part.path.length);
  const git: GitCall = { ...call, env: { ...call.env, GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "1" } };
  const printed = runGitBriefly([...STATUS, "--", inPart === "" ? "." : inPart], git, milliseconds);
  if (printed === undefined) return undefined;
  // The shadow has no commit, so git lists every file of the index as added, and says if it was changed since.
  const clean = printed
    .toString("utf8")
    .split("\0")
    .filter((line) => line.startsWith("A  "));
  return new Set(clean.map((line) => join(part.path, line.slice("A  ".length + prefix.length))));
}

const parts = (store: SnapshotStore, snapshot: Snapshot): { readonly path: string; readonly shadow: Shadow }[] =>
  snapshot.parts.flatMap(({ path }) => {
    const shadow = store.shadow(path);
    return shadow === undefined ? [] : [{ path, shadow }];
  });
