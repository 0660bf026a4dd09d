import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { diskError } from "./disk-error.ts";
import { makeFolder } from "./make-folder.ts";
import { messageOf } from "./message-of.ts";
import { EXIT, UserError } from "./user-error.ts";

/** How long to wait for another process that holds the lock. */
const PATIENCE_MS = 60_000;

/**
 * Does `work` while no other process or caller does work under the same file. The lock is the kernel's, through SQLite:
 * it ends with the process that holds it, however that one dies. The file itself stays empty.
 */
export function withLock<Result>(file: string, work: () => Result, patienceMs = PATIENCE_MS): Result {
  makeFolder(dirname(file));
  const database = taken(file, patienceMs);
  try {
    return work();
  } finally {
    database.close();
  }
}

function taken(file: string, patienceMs: number): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: patienceMs });
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    const why = messageOf(cause);
    const full = diskError(cause, file);
    if (full !== undefined) throw full;
    throw new UserError(`a lock cannot be taken: ${why}`, {
      where: file,
      fix: "see that the folder is yours to write, and that no other signalbox hangs",
      exitCode: EXIT.failed,
      cause,
    });
  }
}
