import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { diskError, EXIT, isUserError, messageOf, UserError } from "../text/user-error.ts";
import { makeFolder } from "./make-folder.ts";

const PATIENCE_MS = 60_000;
const RETRY_MS = 20;

/** Looked up when used, so that a Node without it can load this file and say what it needs. */
function openDatabase(file: string, options: { readonly timeout: number; readonly readOnly?: boolean }): DatabaseSync {
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  return new Database(file, options);
}

/** An unreferenced database is garbage-collected, and its lock is released with it. */
const heldDatabases = new Set<DatabaseSync>();

/**
 * Takes the lock of a file, or returns undefined if another process or caller holds it for all of `patienceMs`. The
 * kernel releases it when the process dies, however it dies. This is SQLite's lock on an empty database, because Node
 * has no other. Never open the file in any other way: closing it would release the lock.
 */
export function takeLock(file: string, patienceMs = 0): Disposable | undefined {
  const existed = existsSync(file);
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file, { timeout: patienceMs });
    if (!existed) chmodSync(file, 0o600);
    database.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
    return release(database);
  } catch (cause) {
    database?.close();
    if (isBusy(cause)) return undefined;
    throw diskError(cause, file) ?? cause;
  }
}

/**
 * Shares the lock of a file with other callers, so that nobody can take it alone. Undefined while somebody holds it
 * alone, and where the disk does not support locks.
 */
export function shareLock(file: string): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(dirname(file));
    database = openDatabase(file, { timeout: PATIENCE_MS });
    database.exec("PRAGMA journal_mode = OFF; BEGIN; PRAGMA schema_version");
    return release(database);
  } catch {
    database?.close();
    return undefined;
  }
}

function release(database: DatabaseSync): Disposable {
  heldDatabases.add(database);
  return {
    [Symbol.dispose]() {
      if (heldDatabases.delete(database)) database.close();
    },
  };
}

const isBusy = (error: unknown) => /locked|busy/i.test(messageOf(error));

/** The same without blocking this process. Waits indefinitely unless `patienceMs` is given. */
export async function waitForLock(file: string, patienceMs = Infinity): Promise<Disposable | undefined> {
  for (const end = Date.now() + patienceMs; ; await sleep(RETRY_MS)) {
    const lock = takeLock(file);
    if (lock !== undefined || Date.now() >= end) return lock;
  }
}

/** Runs `work` while no other process or caller runs work under the same lock file, which stays empty. */
export function withLock<Result>(file: string, work: () => Result, patienceMs = PATIENCE_MS): Result {
  makeFolder(dirname(file));
  using _lock = lockOrThrow(file, patienceMs);
  return work();
}

function lockOrThrow(file: string, patienceMs: number): Disposable {
  const refuse = (why: string, fix: string, cause?: unknown) =>
    new UserError(`cannot take a lock: ${why}`, { where: file, fix, exitCode: EXIT.failed, cause });
  let lock: Disposable | undefined;
  try {
    lock = takeLock(file, patienceMs);
  } catch (cause) {
    if (isUserError(cause)) throw cause;
    throw refuse(messageOf(cause), "make sure that you can write to its folder", cause);
  }
  if (lock !== undefined) return lock;
  throw refuse(`${lockHolder(file)} has held it for ${patienceMs} ms`, "wait for that signalbox to finish, or end it");
}

/** Whether the lock of a file is held. Throws when this cannot be determined, for example because the file is gone. */
export function isLocked(file: string): boolean {
  try {
    using database = openDatabase(file, { readOnly: true, timeout: 0 });
    database.exec("PRAGMA schema_version");
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

/** Who holds a lock, for a message. Only Linux lists lock owners, and only those visible to this process. */
export function lockHolder(file: string): string {
  try {
    const { ino } = statSync(file, { bigint: true });
    const line = readFileSync("/proc/locks", "utf8")
      .split("\n")
      .find((text) => text.includes(`:${ino} `));
    const pid = Number(line?.split(/\s+/)[4]);
    return pid > 0 ? `another process (pid ${pid})` : "another process";
  } catch {
    // No /proc, or the file is gone.
    return "another process";
  }
}
