import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { errorCode } from "./error-code.ts";
import { isRecord } from "./is-record.ts";
import { isLocked, takeLock } from "./lock.ts";
import { ownPlace, type ProcessPlace, seesAllProcesses } from "./process-place.ts";
import { processState, startTime } from "./process-table.ts";
import { parseJson } from "./parse-json.ts";

/** The process that a folder belongs to, in a form that another machine, container or time zone does not mistake. */
export interface FolderOwner extends ProcessPlace {
  readonly pid: number;
  /** Empty where it could not be read. */
  readonly started: string;
  /** For a person. */
  readonly hostname: string;
  /** Device and inode of the lock that the process holds; empty when it could not take one. */
  readonly lock: string;
}

/** Unknown: it runs, or ran, where we cannot look. */
export type Life = "alive" | "dead" | "unknown";

/** What an owner leaves in its folder. */
export const OWNER_FILES = ["owner.json", "owner.lock"] as const;

const ownerFile = (folder: string) => join(folder, OWNER_FILES[0]);
const lockFile = (folder: string) => join(folder, OWNER_FILES[1]);

/** Makes a folder ours until it is disposed of or this process dies, however it dies. */
export function ownFolder(folder: string): Disposable {
  const lock = takeNewLock(lockFile(folder));
  const owner: FolderOwner = {
    ...ownPlace(),
    hostname: hostname(),
    pid: process.pid,
    started: startTime(process.pid) ?? "",
    lock: lock === undefined ? "" : inodeOf(lockFile(folder)),
  };
  try {
    // The lock is held before anyone can read of it.
    writeFileSync(`${ownerFile(folder)}.tmp`, JSON.stringify(owner), { mode: 0o600 });
    renameSync(`${ownerFile(folder)}.tmp`, ownerFile(folder));
  } catch (error) {
    lock?.[Symbol.dispose]();
    throw error;
  }
  return {
    [Symbol.dispose]() {
      try {
        for (const name of OWNER_FILES) rmSync(join(folder, name), { force: true });
      } finally {
        lock?.[Symbol.dispose]();
      }
    },
  };
}

/** Whose folder it is. Undefined when nobody has said so: an older signalbox made it, or it is just being made. */
export function ownerOf(folder: string): FolderOwner | undefined {
  try {
    const value: unknown = parseJson(readFileSync(ownerFile(folder), "utf8"));
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is FolderOwner {
  const texts = ["host", "boot", "space", "started", "hostname", "lock"];
  return isRecord(value) && Number.isSafeInteger(value["pid"]) && texts.every((key) => typeof value[key] === "string");
}

/** Whether the process that a folder belongs to still lives. */
export function ownerLife(folder: string): Life {
  const owner = ownerOf(folder);
  if (owner === undefined) return "unknown";
  const here = ownPlace();
  const pidsAreOurs = owner.space !== "" && owner.space === here.space;
  if (owner.boot === "" || here.boot === "")
    return pidsAreOurs && owner.host === here.host && processLife(owner) === "alive" ? "alive" : "unknown";
  // After another start of the same machine nothing of before lives; of another machine we know nothing.
  if (owner.boot !== here.boot) return owner.host === here.host ? "dead" : "unknown";
  if (pidsAreOurs) return processLife(owner);
  const life = owner.lock === "" ? "unknown" : lockLife(lockFile(folder), owner.lock);
  // What a dead owner started may live on, and inside a container we could neither see nor end it.
  return life === "dead" && !seesAllProcesses() ? "unknown" : life;
}

/** Whether a process of our own pid namespace lives. Unknown when the system does not let us see it. */
export function processLife({ pid, started }: { readonly pid: number; readonly started: string }): Life {
  const state = processState(pid);
  if (state !== undefined && !state.ended) {
    if (started === "") return "unknown";
    return state.started === started ? "alive" : "dead";
  }
  if (state?.ended === true) return "dead";
  try {
    process.kill(pid, 0);
    return "unknown";
  } catch (error) {
    return errorCode(error) === "ESRCH" ? "dead" : "unknown";
  }
}

/** Undefined where the disk has no locks. Then only the pid tells, where it means something. */
function takeNewLock(path: string): Disposable | undefined {
  try {
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
    return takeLock(path);
  } catch {
    return undefined;
  }
}

/** A lock counts only in the very file that was locked: a copy, or the same disk mounted twice, has locks of its own. */
function lockLife(path: string, inode: string): Life {
  try {
    if (inodeOf(path) !== inode) return "unknown";
    return isLocked(path) ? "alive" : "dead";
  } catch {
    return "unknown";
  }
}

function inodeOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
