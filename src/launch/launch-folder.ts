import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { launchesFolder } from "../hooks/server-reach.ts";
import { errorCode } from "../lib/error-code.ts";
import { makeFolder } from "../lib/make-folder.ts";

/**
 * A private folder for what holds an agent. It lies in the user's signalbox folder and not among temporary files: those
 * a tool may write. What a killed launch left there is removed. Where it cannot be made, the run's own folder is taken:
 * then nothing can be written to the log either, so every call is denied.
 */
export function openLaunchFolder(home: string, run: string): string {
  const parent = launchesFolder(home);
  const folder = join(parent, `${basename(run).slice(0, 32)}.${process.pid}`);
  try {
    makeFolder(parent);
    sweep(parent);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch {
    return run;
  }
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = Number(/\.(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (!isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** A process of another user is alive too. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}
