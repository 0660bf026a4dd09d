import { constants } from "node:fs";
import { access, lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../lib/text/user-error.ts";
import { type FileFilter, openSnapshots, type Snapshot, type SnapshotStore } from "./snapshot.ts";

/** What a snapshot may cost. Unchanged files that git already holds cost next to nothing and are not counted. */
export interface SnapshotLimits {
  readonly milliseconds: number;
  /** How many files may be copied, and how many bytes in total. */
  readonly files: number;
  readonly bytes: number;
  /** A larger file is left out. */
  readonly fileBytes: number;
}

const MIB = 1024 * 1024;

export const USUAL_SNAPSHOT_LIMITS: SnapshotLimits = {
  milliseconds: 5000,
  files: 50_000,
  bytes: 512 * MIB,
  fileBytes: 64 * MIB,
};

interface SnapshotOrder {
  readonly workspace: string;
  /** A private folder for the snapshot, outside the reach of the agent. */
  readonly store: string;
  readonly limits?: SnapshotLimits | undefined;
  readonly signal?: AbortSignal;
}

/** `unknown`: a limit was reached or git failed, and nothing can be restored. Nothing is left in the store's folder. */
export type TakenSnapshot =
  | ({ readonly state: "taken"; readonly store: SnapshotStore } & SnapshotContent)
  | { readonly state: "unknown"; readonly because: string };

/** What can be restored. */
export interface StoredContent {
  readonly snapshot: Snapshot;
  /** Permissions that git cannot express, by path. */
  readonly modes: Readonly<Record<string, number>>;
}

interface SnapshotContent extends StoredContent {
  readonly skipped: readonly SkippedFile[];
}

/** A file that is not in the snapshot although git does not ignore it. */
interface SkippedFile {
  readonly path: string;
  readonly because: "too large" | "unreadable" | "not a file";
}

/**
 * Takes a snapshot of a workspace without changing it or the user's repository, and without running a program that the
 * repository names. Never throws: whatever goes wrong makes the snapshot unknown.
 */
export async function takeSnapshot({
  workspace,
  store: folder,
  limits = USUAL_SNAPSHOT_LIMITS,
  signal,
}: SnapshotOrder): Promise<TakenSnapshot> {
  const timeout = AbortSignal.timeout(limits.milliseconds);
  const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const store = openSnapshots(workspace, folder);
  const filter = limitedFilter(workspace, limits, stop);
  try {
    const snapshot = await store.take({ signal: stop, filter: filter.choose, exact: true });
    const skipped = filter.skipped.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    return { state: "taken", store, snapshot, skipped, modes: filter.modes };
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    const late = timeout.aborted && signal?.aborted !== true;
    return { state: "unknown", because: late ? `it took longer than ${limits.milliseconds} ms` : messageOf(error) };
  }
}

interface LimitedFilter {
  readonly choose: FileFilter;
  readonly skipped: readonly SkippedFile[];
  readonly modes: Readonly<Record<string, number>>;
  /** What was looked at, by path. */
  readonly seen: readonly string[];
}

const BATCH = 64;

/** Leaves out what cannot or should not be copied, and throws when the rest exceeds the limits. */
export function limitedFilter(workspace: string, limits: SnapshotLimits, signal?: AbortSignal): LimitedFilter {
  const skipped: SkippedFile[] = [];
  const modes: Record<string, number> = {};
  const seen: string[] = [];
  const total = { files: 0, bytes: 0 };
  const examine = async (file: string): Promise<boolean> => {
    const path = file.slice(workspace === "/" ? 1 : workspace.length + 1);
    const stat = await lstat(file).catch(() => undefined);
    seen.push(path);
    // Gone meanwhile: git notices that itself.
    if (stat === undefined) return true;
    const because = await objection(file, stat, limits.fileBytes);
    if (because !== undefined) {
      skipped.push({ path, because });
      return false;
    }
    total.bytes += stat.size;
    const mode = stat.mode & 0o7777;
    if (stat.isFile() && mode !== 0o644 && mode !== 0o755) modes[path] = mode;
    return true;
  };
  return {
    skipped,
    modes,
    seen,
    async choose(names, { call }) {
      total.files += names.length;
      if (total.files > limits.files) throw new Error(`more than ${limits.files} new or changed files`);
      const chosen: string[] = [];
      for (let at = 0; at < names.length; at += BATCH) {
        signal?.throwIfAborted();
        const batch = names.slice(at, at + BATCH);
        const wanted = await Promise.all(batch.map((name) => examine(join(call.cwd, name))));
        chosen.push(...batch.filter((_, index) => wanted[index]));
        if (total.bytes > limits.bytes) throw new Error(`more than ${limits.bytes} bytes in new or changed files`);
      }
      return chosen;
    },
  };
}

interface FileStat {
  readonly size: number;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

async function objection(file: string, stat: FileStat, maxBytes: number): Promise<SkippedFile["because"] | undefined> {
  if (stat.isSymbolicLink()) return undefined;
  if (!stat.isFile()) return "not a file";
  if (stat.size > maxBytes) return "too large";
  const readable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  return readable ? undefined : "unreadable";
}
