import { withUpdate } from "../../lib/json/file-format.ts";
import { closeSync, constants, lstatSync, openSync, readSync, rmSync } from "node:fs";
import { errorCode, messageOf } from "../../lib/text/user-error.ts";
import { takeLock } from "../../lib/files/lock.ts";
import {
  discardAll,
  type KeptItem,
  lastChanged,
  prunableNames,
  type PrunedItem,
  type PruneOrder,
  type PruneReport,
} from "../../lib/files/prune.ts";
import { agentsPath, filesPath, lockPath, logPath, SESSION_ID, sessionsPlace } from "./log-folder.ts";
import { newerHeader } from "./read-log.ts";

/**
 * Removes old conversations with their outputs, and what an interrupted prune left of one. A session that is open
 * anywhere stays: its lock is held by the operating system, also for other containers.
 */
export function pruneSessions(order: PruneOrder): PruneReport {
  const folder = sessionsPlace(order.home);
  const { names, kept } = prunableNames(folder);
  const ids = [...new Set(names.flatMap((name) => SESSION_ID.exec(name)?.[0] ?? []))];
  const pruned: PrunedItem[] = [];
  for (const id of ids) {
    // The log counts alone: the lock is touched by everyone who asks for it.
    const parts = [logPath(folder, id), filesPath(folder, id), agentsPath(folder, id)];
    const used = Math.max(...parts.map(lastChanged), ...(isOrphan(parts) ? [lastChanged(lockPath(folder, id))] : []));
    if (!(used < order.before)) continue;
    const done = pruneSession(id, { folder, order });
    if (typeof done === "number") pruned.push({ what: `session ${id}`, used, bytes: done });
    else kept.push(done);
  }
  return { pruned, kept };
}

/** Removes one session with its outputs. Returns the reason if it stays. */
export function removeSession(home: string, id: string): string | undefined {
  const done = pruneSession(id, { folder: sessionsPlace(home), order: { home, before: Infinity, dryRun: false } });
  return typeof done === "number" ? undefined : done.because;
}

const isOrphan = (parts: readonly string[]) => parts.every((path) => lastChanged(path) === -Infinity);

/** Returns the bytes it had, or why it stays. */
function pruneSession(
  id: string,
  { folder, order }: { readonly folder: string; readonly order: PruneOrder },
): number | KeptItem {
  const keep = (because: string): KeptItem => ({ what: `session ${id}`, because });
  const paths = [logPath(folder, id), filesPath(folder, id), agentsPath(folder, id)];
  try {
    const newer = newerLog(logPath(folder, id));
    if (newer !== undefined) return keep(withUpdate(newer));
    const lock = lockPath(folder, id);
    const isThere = lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true;
    using held = isThere || !order.dryRun ? takeLock(lock) : NOTHING;
    if (held === undefined) return keep("it is open");
    // The log first: without it the session does not exist any more, and the rest is found by its name.
    const bytes = discardAll(paths, order);
    if (order.dryRun) return bytes;
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${lock}${end}`, { force: true });
    return bytes;
  } catch (error) {
    return keep(`cannot remove it: ${messageOf(error)}`);
  }
}

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };

const HEADER_BYTES = 64 * 1024;

function newerLog(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    // Missing, or a link: then only the link is removed.
    if (["ENOENT", "ELOOP", "EMLINK"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
  try {
    const head = Buffer.alloc(HEADER_BYTES);
    return newerHeader(head.toString("utf8", 0, readSync(file, head)).split("\n")[0] ?? "");
  } finally {
    closeSync(file);
  }
}
