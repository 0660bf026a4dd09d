import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { RunMark } from "../lib/end-tree.ts";
import { errorCode } from "../lib/error-code.ts";
import { ownFolder } from "../lib/folder-owner.ts";
import { endLeftWork } from "../lib/left-work.ts";
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
