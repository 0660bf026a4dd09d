import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { launchesFolder } from "../hooks/server-address.ts";
import type { RunMark } from "../lib/end-tree.ts";
import { errorCode } from "../lib/error-code.ts";
import { ownerLife, ownFolder } from "../lib/folder-owner.ts";
import { endLeftWork } from "../lib/left-work.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { startTime } from "../lib/process-table.ts";
import { randomId } from "../lib/random-id.ts";
import { UserError } from "../lib/user-error.ts";

/** One start of an agent: its id, which all its processes carry, and its private folder. */
export interface Run extends RunMark, Disposable {
  readonly folder: string;
}

/** Opens a run. The folder records its owner, so that a later start can recognize what a crash left behind. */
export function openRun(env: NodeJS.ProcessEnv): Run {
  const id = randomId();
  // Without a private parent folder, the unguessable name keeps the folder ours.
  const folder = join(runsFolders(env)[0] ?? tmpdir(), `${id}.${process.pid}`);
  let owned: Disposable;
  try {
    mkdirSync(folder, { mode: 0o700 });
    owned = ownFolder(folder);
  } catch (cause) {
    throw new UserError(`cannot create a private folder for this run (${errorCode(cause) ?? String(cause)})`, {
      where: dirname(folder),
      fix: "set TMPDIR to a folder you can write to",
      cause,
    });
  }
  return {
    id,
    since: startTime(process.pid) ?? "0",
    folder,
    [Symbol.dispose]() {
      owned[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Ends the processes and removes the files of runs whose signalbox is known to be dead. Returns the number of
 * processes.
 */
export async function sweepRuns(env: NodeJS.ProcessEnv): Promise<number> {
  let ended = 0;
  for (const parent of runsFolders(env)) ended += await endLeftWork(parent);
  return ended;
}

/** The private parent folders of this user's runs; use the first. Empty if someone else owns those names. */
export function runsFolders(env: NodeJS.ProcessEnv): string[] {
  const runtime = env["XDG_RUNTIME_DIR"];
  const places = [
    join(tmpdir(), `signalbox-${process.getuid?.() ?? 0}`),
    ...(runtime !== undefined && isAbsolute(runtime) ? [join(runtime, "signalbox")] : []),
  ];
  return places.filter(isPrivate);
}

function isPrivate(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") return false;
  }
  const stat = lstatSync(path);
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

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
