import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** How long to wait for another process that holds the lock. */
const PATIENCE_MS = 60_000;

/**
 * Does `work` while no other process or caller does work under the same file. The lock is the kernel's, through SQLite:
 * it ends with the process that holds it, however that one dies. The file itself stays empty.
 */
export function withLock<Result>(file: string, work: () => Result): Result {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return work();
  } finally {
    database.close();
  }
}
