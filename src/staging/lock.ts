import { join } from "node:path";
import { lockHolder, waitForLock } from "../lib/files/lock.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";

const PATIENCE_MS = 20_000;

/** Waits until no other process of this user is staging in the repository. */
export async function lockRepository(home: string, root: string, patienceMs = PATIENCE_MS): Promise<Disposable> {
  const folder = join(home, "locks");
  makeFolder(folder);
  const path = join(folder, `stage-${sha256(root).slice(0, 32)}.lock`);
  const lock = await waitForLock(path, patienceMs);
  if (lock !== undefined) return lock;
  throw new UserError(`${lockHolder(path)} is staging in this repository`, {
    where: path,
    fix: "wait for it to finish, or stop it",
    exitCode: EXIT.failed,
  });
}
