import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { launchesFolder } from "../hooks/server-address.ts";
import { ownerLife, ownFolder } from "../lib/folder-owner.ts";
import { makeFolder } from "../lib/make-folder.ts";

export interface LaunchFolder extends Disposable {
  readonly folder: string;
  /** Whether it lies in the user's signalbox folder. */
  readonly kept: boolean;
}

/**
 * A private folder for what holds an agent. It lies in the user's signalbox folder and not among temporary files: those
 * a tool may write. What a killed launch left there is removed, unless it cannot be told whether that launch still lives.
 * Where it cannot be made, the run's own folder is taken: then nothing can be written to the log either, so every call is
 * denied.
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
      kept: true,
      [Symbol.dispose]() {
        owned[Symbol.dispose]();
        remove(folder);
      },
    };
  } catch {
    return { folder: run, kept: false, [Symbol.dispose]: () => remove(run) };
  }
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (ownerLife(folder) === "dead") remove(folder);
  }
}
