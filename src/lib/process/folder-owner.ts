import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { errorCode } from "../text/user-error.ts";
import { newerFormat } from "../json/file-format.ts";
import { isRecord } from "../json/json-value.ts";
import { isLocked, takeLock } from "../files/lock.ts";
import { ownPlace, type ProcessPlace, processState, seesAllProcesses, startTime } from "./process-table.ts";
import { parseJson } from "../json/parse-json.ts";

/** The process that owns a folder, recorded so that another machine, container or time zone cannot misread it. */
export interface FolderOwner extends ProcessPlace {
  readonly pid: number;
  /** Empty where it could not be read. */
  readonly started: string;
  /** For display. */
  readonly hostname: string;
  /** Device and inode of the lock that the process holds; empty when it could not take one. */
  readonly lock: string;
}

/** Unknown: it runs, or ran, where we cannot see it. */
export type Life = "alive" | "dead" | "unknown";

/** The file an owner leaves in its folder. */
export const OWNER_FILES = ["owner.json", "owner.lock"] as const;

const ownerFile = (folder: string) => join(folder, OWNER_FILES[0]);
const lockFile = (folder: string) => join(folder, OWNER_FILES[1]);

/** Claims a folder until it is disposed or this process dies, however it dies. */
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
    // Take the lock before anyone can read about it.
    writeFileSync(`${ownerFile(folder)}.tmp`, JSON.stringify({ version: 1, ...owner }), { mode: 0o600 });
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

/**
 * The owner of a folder. Undefined when none is recorded: an older signalbox created the folder, or it is just being
 * created.
 */
export function ownerOf(folder: string): FolderOwner | undefined {
  try {
    const value: unknown = parseJson(readFileSync(ownerFile(folder), "utf8"));
    // We do not know what a newer signalbox means, so its owner may be alive anywhere.
    if (newerFormat(value) !== undefined) return SOMEBODY;
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const SOMEBODY: FolderOwner = { host: "", boot: "", space: "", pid: 0, started: "", hostname: "unknown", lock: "" };

function isOwner(value: unknown): value is FolderOwner {
  const texts = ["host", "boot", "space", "started", "hostname", "lock"];
  return isRecord(value) && Number.isSafeInteger(value["pid"]) && texts.every((key) => typeof value[key] === "string");
}

/** Whether the process that owns a folder is still alive. */
export function ownerLife(folder: string): Life {
  const owner = ownerOf(folder);
  if (owner === undefined) return "unknown";
  const here = ownPlace();
  const pidsAreOurs = owner.space !== "" && owner.space === here.space;
  if (owner.boot === "" || here.boot === "")
    return pidsAreOurs && owner.host === here.host && processLife(owner) === "alive" ? "alive" : "unknown";
  // After a reboot of the same machine nothing from before is alive; about another machine we know nothing.
  if (owner.boot !== here.boot) return owner.host === here.host ? "dead" : "unknown";
  if (pidsAreOurs) return processLife(owner);
  const life = owner.lock === "" ? "unknown" : lockLife(lockFile(folder), owner.lock);
  // Processes that a dead owner started may still be alive, and inside a container we could neither see nor end them.
  return life === "dead" && !seesAllProcesses() ? "unknown" : life;
}

/** The process that owns a folder, if it is alive and we can see it. */
export function visibleOwner(folder: string): number | undefined {
  const owner = ownerOf(folder);
  if (owner === undefined || owner.space === "" || owner.space !== ownPlace().space) return undefined;
  return ownerLife(folder) === "alive" && processLife(owner) === "alive" ? owner.pid : undefined;
}

/** Whether a process in our own pid namespace is alive. Unknown when the system does not let us see it. */
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

/** Undefined where the disk does not support locks. Then only the pid can tell, where it is meaningful. */
function takeNewLock(path: string): Disposable | undefined {
  try {
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
    return takeLock(path);
  } catch {
    return undefined;
  }
}

/** A lock only counts on the exact file that was locked: a copy, or the same disk mounted twice, has its own locks. */
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
