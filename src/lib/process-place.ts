import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemProgram } from "./system-program.ts";

/** Where a process runs. Its pid and start time are meaningful only to processes with the same `boot` and `space`. */
export interface ProcessPlace {
  /** The machine, as far as it can be identified; a container has its own name. */
  readonly host: string;
  /** Changes at every boot; empty where it cannot be read. */
  readonly boot: string;
  /** The pid and time namespaces; empty where they cannot be determined. */
  readonly space: string;
}

let cachedPlace: ProcessPlace | undefined;

/** Where this process runs. */
export const ownPlace = (): ProcessPlace =>
  (cachedPlace ??= process.platform === "linux" ? linuxPlace() : otherPlace());

function linuxPlace(): ProcessPlace {
  return {
    host: `${hostname()} ${textOf("/etc/machine-id")}`.trim(),
    boot: textOf("/proc/sys/kernel/random/boot_id"),
    space: isOwnProc() ? spaceOf() : "",
  };
}

let own: boolean | undefined;

/**
 * Whether the numbers in /proc are those of our own pid namespace. After `unshare --pid` without a new mount they
 * belong to other processes, which we must neither query nor end.
 */
export const isOwnProc = (): boolean => (own ??= linkOf("/proc/self") === String(process.pid));

/** The kernel's number for the initial pid namespace. */
const FIRST_PID_SPACE = "pid:[4026531836]";

/** Whether we see the processes of every container on this machine, not only our own. */
export const seesAllProcesses = (): boolean => isOwnProc() && linkOf("/proc/self/ns/pid") === FIRST_PID_SPACE;

const spaceOf = () => `${linkOf("/proc/self/ns/pid")} ${linkOf("/proc/self/ns/time")}`.trim();

/** macOS has a single pid namespace, and reports the machine and its boot in one call. */
function otherPlace(): ProcessPlace {
  const sysctl = spawnSync(systemProgram("sysctl") ?? "/usr/sbin/sysctl", ["-n", "kern.uuid", "kern.bootsessionuuid"], {
    encoding: "utf8",
    env: { LC_ALL: "C" },
  });
  const [uuid = "", boot = ""] = (sysctl.stdout ?? "").trim().split("\n");
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
