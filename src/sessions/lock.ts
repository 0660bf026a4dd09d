import { chmodSync, existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { diskError } from "../lib/disk-error.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { lockPath } from "./folder.ts";

/**
 * Holds a session until it is disposed of or the process dies, however it dies: the lock is SQLite's own, on an empty
 * database, and the system lets go of it. A file with a process id would stay behind.
 */
export function lockSession(folder: string, id: string): Disposable {
  const path = lockPath(folder, id);
  const existed = existsSync(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if (!/locked|busy/i.test(String(cause))) {
      if (!existed) rmSync(path, { force: true });
      throw diskError(cause, path) ?? cause;
    }
    throw new UserError("this session is open in another process", {
      where: id,
      fix: "end that one first, or continue a copy: signalbox sessions fork",
      exitCode: EXIT.refused,
      cause,
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}
