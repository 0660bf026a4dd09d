import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { launchesFolder } from "../hooks/server-protocol.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import {
  allReports,
  lastChanged,
  oneFile,
  pruneFolder,
  type PruneOrder,
  type PruneReport,
} from "../lib/files/prune.ts";
import { randomId } from "../lib/files/random-id.ts";
import type { RunMark } from "../lib/process/end-tree.ts";
import { ownerLife, ownerOf, ownFolder } from "../lib/process/folder-owner.ts";
import { endLeftWork } from "../lib/process/left-work.ts";
import { startTime } from "../lib/process/process-table.ts";
import { errorCode, UserError } from "../lib/text/user-error.ts";
import { hintsFolder } from "./obvious-check.ts";

/** One start of an agent: its id, which all its processes carry, and its private folder. */
interface Run extends RunMark, Disposable {
  readonly folder: string;
}

/** Opens a run. The folder records its owner, so that a later start can recognize what a crash left behind. */
export function openRun(env: NodeJS.ProcessEnv): Run {
  // A UUID, because its receipt has the same id.
  const id = randomId().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const { folder, owned } = openFolder(env, `${id}.${process.pid}`);
  return {
    id,
    since: startTime(process.pid) ?? "0",
    folder,
    [Symbol.dispose]() {
      owned[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
      leaveRunsFolder(env, dirname(folder));
    },
  };
}

const MAX_TRIES = 20;

function openFolder(env: NodeJS.ProcessEnv, name: string): { readonly folder: string; readonly owned: Disposable } {
  for (let tries = 1; ; tries++) {
    // Without a private parent folder, the unguessable name keeps the folder ours.
    const folder = join(openRunsFolder(env) ?? tmpdir(), name);
    try {
      mkdirSync(folder, { mode: 0o700 });
      return { folder, owned: ownFolder(folder) };
    } catch (cause) {
      // The last other run ended just now, and removed the parent.
      if (errorCode(cause) === "ENOENT" && tries < MAX_TRIES) continue;
      throw new UserError(`cannot create a private folder for this run (${errorCode(cause) ?? String(cause)})`, {
        where: dirname(folder),
        fix: "set TMPDIR to a folder you can write to",
        cause,
      });
    }
  }
}

/**
 * Ends the processes and removes the files of runs whose signalbox is known to be dead. Returns the number of
 * processes.
 */
export async function sweepRuns(env: NodeJS.ProcessEnv): Promise<number> {
  let ended = 0;
  for (const parent of runsFolders(env).filter(isPrivate)) {
    ended += await endLeftWork(parent);
    leaveRunsFolder(env, parent);
  }
  return ended;
}

/** The private parent folder of this user's runs. Undefined if someone else owns those names. */
export function openRunsFolder(env: NodeJS.ProcessEnv): string | undefined {
  return runsFolders(env).find((path) => {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch {
      // It is there, or cannot be made.
    }
    return isPrivate(path);
  });
}

/** Removes the parent folder of runs if it is empty. */
export function leaveRunsFolder(env: NodeJS.ProcessEnv, folder: string): void {
  if (!runsFolders(env).includes(folder)) return;
  try {
    rmdirSync(folder);
  } catch {
    // Another run is in it.
  }
}

/** In the order of preference. */
function runsFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const runtime = env["XDG_RUNTIME_DIR"];
  return [
    join(tmpdir(), `signalbox-${process.getuid?.() ?? 0}`),
    ...(runtime !== undefined && isAbsolute(runtime) ? [join(runtime, "signalbox")] : []),
  ];
}

function isPrivate(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

interface LaunchFolder extends Disposable {
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
  const folder = join(parent, `${basename(run).replace(/\.\d+$/, "")}.${process.pid}`);
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

/** Launches before the file format with owners, and launches that are just being created, have none. */
const OWNERLESS_MS = 86_400_000;

/** Removes what launches left: folders of killed ones, files taken out of sandboxes, and counts of refused stops. */
export const pruneLaunches = (order: PruneOrder): PruneReport =>
  allReports([
    pruneFolder(launchesFolder(order.home), order, (name, path) =>
      oneFile(`launch ${name}`, path, () => mayLaunchGo(path)),
    ),
    pruneFolder(join(order.home, "kept"), order, (name, path) => oneFile(`kept files ${name}`, path, () => undefined)),
    pruneFolder(join(order.home, "stops"), order, (name, path) =>
      oneFile(`refused stops ${name}`, path, () => undefined),
    ),
    pruneFolder(hintsFolder(order.home), order, (name, path) => oneFile(`hint ${name}`, path, () => undefined)),
  ]);

function mayLaunchGo(folder: string): string | undefined {
  if (ownerOf(folder) !== undefined) return ownerLife(folder) === "dead" ? undefined : "it may still be running";
  return lastChanged(folder) < Date.now() - OWNERLESS_MS ? undefined : "it may just be starting";
}
