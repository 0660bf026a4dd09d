import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { randomId } from "../lib/random-id.ts";
import { endTree, type RunMark } from "./end-tree.ts";
import { startTime } from "./process-table.ts";

/** One start of an agent: its id, carried by every process of it, and a private folder that goes with it. */
export interface Run extends RunMark, Disposable {
  readonly folder: string;
}

/** Opens a run. The folder's name says whose it is, so that a later start can tell what a crash left behind. */
export function openRun(env: NodeJS.ProcessEnv): Run {
  const id = randomId();
  // Without a parent of our own the name itself, which nobody can guess, keeps the folder ours.
  const folder = join(runsFolder(env) ?? tmpdir(), `${id}.${ownerName(process.pid)}`);
  mkdirSync(folder, { mode: 0o700 });
  return {
    id,
    since: startTime(process.pid) ?? "0",
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Ends the processes and removes the files of runs whose signalbox is gone. Returns how many such runs there were. */
export async function sweepRuns(env: NodeJS.ProcessEnv): Promise<number> {
  const parent = runsFolder(env);
  if (parent === undefined) return 0;
  let swept = 0;
  for (const name of readdirSync(parent)) {
    const match = /^([0-9a-f]{32})\.((\d+)\..+)$/.exec(name);
    if (match === null || match[2] === ownerName(Number(match[3]))) continue;
    // An owner removes its folder before it ends: one that is gone by now has ended well.
    if (!existsSync(join(parent, name))) continue;
    await endTree({ id: match[1] ?? "" });
    rmSync(join(parent, name), { recursive: true, force: true });
    swept++;
  }
  return swept;
}

/** The private parent of all runs of this user, or undefined where somebody else holds its name. */
export function runsFolder(env: NodeJS.ProcessEnv): string | undefined {
  const runtime = env["XDG_RUNTIME_DIR"];
  const places = [
    ...(runtime !== undefined && isAbsolute(runtime) ? [join(runtime, "signalbox")] : []),
    join(tmpdir(), `signalbox-${process.getuid?.() ?? 0}`),
  ];
  return places.find(isPrivate);
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

function ownerName(pid: number): string {
  return `${pid}.${(startTime(pid) ?? "gone").replaceAll(/\W/g, "_")}`;
}
