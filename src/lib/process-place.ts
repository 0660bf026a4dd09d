import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemProgram } from "./system-program.ts";

/** Where a process runs. Its pid and start time mean something only to those who share `boot` and `space` with it. */
export interface ProcessPlace {
  /** The machine, as far as it can be named; a container has a name of its own. */
  readonly host: string;
  /** Changes whenever the kernel is started; empty where that cannot be read. */
  readonly boot: string;
  /** The namespaces of pids and of the clock; empty where they cannot be told. */
  readonly space: string;
}

let known: ProcessPlace | undefined;

/** Where this process runs. */
export const ownPlace = (): ProcessPlace => (known ??= process.platform === "linux" ? linuxPlace() : otherPlace());

function linuxPlace(): ProcessPlace {
  return {
    host: `${hostname()} ${textOf("/etc/machine-id")}`.trim(),
    boot: textOf("/proc/sys/kernel/random/boot_id"),
    space: isOwnProc() ? spaceOf() : "",
  };
}

let own: boolean | undefined;

/**
 * Whether the numbers in /proc are those of our own pid namespace. Where `unshare --pid` was not followed by a mount they
 * belong to other processes, which must be neither asked about nor ended.
 */
export const isOwnProc = (): boolean => (own ??= linkOf("/proc/self") === String(process.pid));

/** The kernel's number for the pid namespace that all others are made in. */
const FIRST_PID_SPACE = "pid:[4026531836]";

/** Whether we see the processes of every container of this machine, not only those of our own. */
export const seesAllProcesses = (): boolean => isOwnProc() && linkOf("/proc/self/ns/pid") === FIRST_PID_SPACE;

const spaceOf = () => `${linkOf("/proc/self/ns/pid")} ${linkOf("/proc/self/ns/time")}`.trim();

/** macOS has one namespace of pids, and says in one go which machine and which start of it this is. */
function otherPlace(): ProcessPlace {
  const asked = spawnSync(systemProgram("sysctl") ?? "/usr/sbin/sysctl", ["-n", "kern.uuid", "kern.bootsessionuuid"], {
    encoding: "utf8",
    env: { LC_ALL: "C" },
  });
  const [uuid = "", boot = ""] = (asked.stdout ?? "").trim().split("\n");
  return { host: uuid === "" ? hostname() : uuid, boot, space: "one" };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
