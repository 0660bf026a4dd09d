import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../lib/error-code.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

const PATIENCE = 20_000;
const LOOK_AGAIN = 50;

/** Waits until nobody else of this user stages in the repository. A lock whose owner has died does not count. */
export async function lockRepository(home: string, root: string): Promise<Disposable> {
  const folder = join(home, "locks");
  makeFolder(folder);
  const path = join(folder, `stage-${sha256(root).slice(0, 32)}`);
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(LOOK_AGAIN)) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      if (isLeft(path)) rmSync(path, { force: true });
    }
  }
  throw new UserError("somebody else is staging in this repository", {
    where: path,
    fix: "wait until that has ended, or delete the file when nothing runs any more",
    exitCode: EXIT.failed,
  });
}

/** True for the lock of a process that is gone. One that is just being written has no number yet, and counts. */
function isLeft(path: string): boolean {
  try {
    const owner = readFileSync(path, "utf8");
    if (!/^\d+$/.test(owner)) return false;
    process.kill(Number(owner), 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}
