import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { hostname } from "node:os";
import { systemProgram } from "../path/find-program.ts";

/** The parent of kernel threads, which have no environment and are not ours to end. */
const KERNEL = 2;

const EXEC_TRIES = 200;

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Changes when the system gives the pid to another process. */
  readonly started: string;
  /** Whether the process has the run id in its environment; always false where that cannot be read. */
  readonly marked: boolean;
}

/**
 * All live processes of this machine. `runId` is searched for in each process's initial environment,
 * except for those older than `since`, a start time, which cannot belong to a run that began later.
 */
export function processTable(runId: string, since = "0"): ProcessRow[] {
  return process.platform === "linux" ? readProc(runId, Number(since)) : readPs().filter(({ ended }) => !ended);
}

/** The start time of one process, or undefined when there is no such live process. */
export function startTime(pid: number): string | undefined {
  const state = processState(pid);
  return state === undefined || state.ended ? undefined : state.started;
}

interface ProcessState {
  readonly started: string;
  /** It has ended and waits to be reaped by its parent. */
  readonly ended: boolean;
}

/** One process as the system shows it. Undefined when it shows none, which does not prove that there is none. */
export function processState(pid: number): ProcessState | undefined {
  if (process.platform !== "linux") return readPs().find((row) => row.pid === pid);
  return isOwnProc() ? readStat(pid) : undefined;
}

function readProc(runId: string, since: number): ProcessRow[] {
  const rows: ProcessRow[] = [];
  if (!isOwnProc()) return rows;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = readStat(pid);
    if (stat === undefined || stat.ended || stat.parent === KERNEL) continue;
    const { parent, started } = stat;
    rows.push({ pid, parent, started, marked: Number(stat.started) >= since && carries(pid, runId) });
  }
  return rows;
}

const statBuffer = Buffer.alloc(1024);

/**
 * Parent and start time from /proc; a zombie has ended. The name may contain anything, so fields are counted from its
 * last `)`.
 */
function readStat(pid: number): (ProcessState & { readonly parent: number }) | undefined {
  let text: string;
  try {
    const file = openSync(`/proc/${pid}/stat`, "r");
    text = statBuffer.toString("latin1", 0, readSync(file, statBuffer));
    closeSync(file);
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, started] = [fields[0], fields[1], fields[19]];
  if (started === undefined) return undefined;
  return { parent: Number(parent), started, ended: state === "Z" || state === "X" };
}

/**
 * Whether a process was started with the run id in its environment.
 * During an exec the system shows neither environment nor arguments, so such a process is checked again.
 */
function carries(pid: number, runId: string): boolean {
  for (let tries = 0; tries < EXEC_TRIES; tries++) {
    const environment = readWords(pid, "environ");
    if (environment === undefined) return false;
    if (environment !== "") return environment.includes(runId);
    // The exec may have finished between the two reads, so an empty environment only counts if it is still empty.
    if (readWords(pid, "cmdline") !== "" && readWords(pid, "environ") === "") return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  return false;
}

function readWords(pid: number, file: "environ" | "cmdline"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}

type PsRow = ProcessRow & ProcessState;

/** POSIX ps: it shows parents but not environments, so a process that was reparented is not found. */
function readPs(): PsRow[] {
  const { stdout } = spawnSync(
    systemProgram("ps") ?? "/bin/ps",
    ["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat=", "-o", "lstart="],
    // Start times are compared as text, so they must not depend on the user's time zone or language.
    { encoding: "utf8", env: { LC_ALL: "C", TZ: "UTC0" } },
  );
  return parsePs(stdout ?? "");
}

/** Rows of `ps -A -o pid= -o ppid= -o stat= -o lstart=`. */
export function parsePs(text: string): PsRow[] {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null) return [];
    const ended = match[3]?.startsWith("Z") === true;
    return [{ pid: Number(match[1]), parent: Number(match[2]), started: match[4] ?? "", marked: false, ended }];
  });
}

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
