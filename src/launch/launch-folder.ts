import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { launchesFolder } from "../hooks/server-address.ts";
import { ownerLife, ownFolder } from "../lib/folder-owner.ts";
import { makeFolder } from "../lib/make-folder.ts";

export interface LaunchFolder extends Disposable {
  readonly folder: string;
  /** Whether the folder is in the user's signalbox folder. */
  readonly isInHome: boolean;
}

/**
 * A private folder for the guard of a launch. It is in the user's signalbox folder and not with temporary files, which
 * tools may write. Removes leftovers of killed launches, but only if they are known to be dead. If the folder cannot be
 * created, uses the run's own folder; in that case the log cannot be written either, so every call is denied.
 */
export function openLaunchFolder(home: string, run: string): LaunchFolder {
  const parent = launchesFolder(home);
  const folder = join(parent, `${basename(run).slice(0, 32)}.${process.pid}`);
  try {
    makeFolder(parent);
    sweep(parent);
    mkdirSync(folder, { mode: 0o700 });
    const owned = ownFolder(folder);
    return {
      folder,
      isInHome: true,
      [Symbol.dispose]() {
        owned[Symbol.dispose]();
        remove(folder);
      },
    };
  } catch {
    return { folder: run, isInHome: false, [Symbol.dispose]: () => remove(run) };
  }
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (ownerLife(folder) === "dead") remove(folder);
  }
}
