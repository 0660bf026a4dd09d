import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { UserError } from "../lib/user-error.ts";
import { randomId } from "../lib/random-id.ts";
import { endTree, type RunMark } from "../lib/end-tree.ts";
import { startTime } from "../lib/process-table.ts";

/** One start of an agent: its id, carried by every process of it, and a private folder that goes with it. */
export interface Run extends RunMark, Disposable {
  readonly folder: string;
}

/** Opens a run. The folder's name says whose it is, so that a later start can tell what a crash left behind. */
export function openRun(env: NodeJS.ProcessEnv): Run {
  const id = randomId();
  // Without a parent of our own the name itself, which nobody can guess, keeps the folder ours.
  const folder = join(runsFolders(env)[0] ?? tmpdir(), `${id}.${ownerName(process.pid)}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    throw new UserError(`no private folder can be made for this run (${errorCode(cause) ?? String(cause)})`, {
      where: dirname(folder),
      fix: "set TMPDIR to a folder that you can write",
      cause,
    });
  }
  const since = startTime(process.pid) ?? "0";
  return { id, since, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Ends the processes and removes the files of runs whose signalbox is gone. Returns how many such runs there were. */
export async function sweepRuns(env: NodeJS.ProcessEnv): Promise<number> {
  let swept = 0;
  for (const parent of runsFolders(env)) {
    for (const name of readdirSync(parent)) {
      const match = /^([0-9a-f]{32})\.((\d+)\.(\d+)\..+)$/.exec(name);
      if (match === null || match[3] !== pidNamespace() || match[2] === ownerName(Number(match[4]))) continue;
      // An owner removes its folder before it ends: one that is gone by now has ended well.
      if (!existsSync(join(parent, name))) continue;
      await endTree({ id: match[1] ?? "" });
      rmSync(join(parent, name), { recursive: true, force: true });
      swept++;
    }
  }
  return swept;
}

/** The private parents of this user's runs, the one to use first. None where somebody else holds their names. */
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

const ownerName = (pid: number) => `${pidNamespace()}.${pid}.${(startTime(pid) ?? "gone").replaceAll(/\W/g, "_")}`;

/** Pids of another container mean nothing here, though its folder may be the same. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return "0";
  }
}
