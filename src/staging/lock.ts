import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { diskError } from "../lib/disk-error.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

const PATIENCE = 20_000;
const LOOK_AGAIN = 50;

/** Waits until nobody else of this user stages in the repository. The lock is the system's, and goes with its holder. */
export async function lockRepository(home: string, root: string, patience = PATIENCE): Promise<Disposable> {
  const folder = join(home, "locks");
  makeFolder(folder);
  const path = join(folder, `stage-${sha256(root).slice(0, 32)}.lock`);
  for (const end = Date.now() + patience; ; await sleep(LOOK_AGAIN)) {
    const lock = take(path);
    if (lock !== undefined) return { [Symbol.dispose]: () => lock.close() };
    if (Date.now() >= end) break;
  }
  throw new UserError("somebody else is staging in this repository", {
    where: path,
    fix: "wait until that has ended",
    exitCode: EXIT.failed,
  });
}

/** Undefined while another process holds it. */
function take(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    database.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    database.close();
    if (/locked|busy/i.test(String(cause))) return undefined;
    throw diskError(cause, path) ?? cause;
  }
}
