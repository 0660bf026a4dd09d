import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { randomId } from "../../lib/files/random-id.ts";

/** What all commands of a session may use together. Sizes are in bytes. */
export interface Limits {
  /** Processes and threads. A build with many workers has a few hundred. */
  readonly processes: number;
  readonly memory: number;
  /** Of one process, where the policy sets a limit of memory; for places without a control group. */
  readonly data: number | undefined;
  /** Of `/tmp`, which is in memory. `/var/tmp` and `/dev/shm` get half of it each. */
  readonly tmp: number;
  /** One file. */
  readonly file: number;
}

const GIGABYTE = 1024 ** 3;

/** The limits of a policy. By default a quarter of the memory stays free, and the three folders take at most half. */
export function limitsOf({ limits = {} }: Pick<Policy, "limits">, all = totalmem()): Limits {
  const { processes = 4096, memory = Math.floor((all * 3) / 4), tmp } = limits;
  const inMemory = tmp ?? Math.min(4 * GIGABYTE, Math.floor(all / 4));
  // Not by default: programs built with a sanitizer (and `go test -race`) reserve terabytes, and would not start.
  return { processes, memory, data: limits.memory, tmp: inMemory, file: 8 * GIGABYTE };
}

/** One limit for people: what holds it on this machine, or why nothing does. */
export type LimitFact =
  | { readonly what: string; readonly limit: string; readonly by: string }
  | { readonly what: string; readonly limit: null; readonly because: string };

/** What is limited on this machine. Makes the control groups for a moment, to see whether it can. */
export function limitFacts(policy: Pick<Policy, "limits">, usesHelper: boolean): readonly LimitFact[] {
  const limits = limitsOf(policy);
  using groups = limitGroups(limits);
  const isRoot = process.getuid?.() === 0;
  const held = (what: string, limit: string, by: string): LimitFact => ({ what, limit, by });
  const open = (what: string, because: string): LimitFact => ({ what, limit: null, because });
  const byHelper = (what: Grouped, limit: string, otherwise: LimitFact) => {
    if (!usesHelper) return open(what, NO_HELPER);
    return groups.held.includes(what) ? held(what, limit, "a control group") : otherwise;
  };
  const noGroup = isRoot ? "no control group can be made here" : "only root can make control groups";
  const processes = String(limits.processes);
  const memoryWithoutGroup =
    limits.data === undefined
      ? open("memory", `${noGroup}; if it runs out, commands are ended first`)
      : held("memory", `${sizeText(limits.data)} for each process`, `RLIMIT_DATA (${noGroup})`);
  return [
    byHelper(
      "processes",
      processes,
      isRoot ? open("processes", noGroup) : held("processes", processes, "RLIMIT_NPROC"),
    ),
    byHelper("memory", sizeText(limits.memory), memoryWithoutGroup),
    held("/tmp", sizeText(limits.tmp), TMPFS),
    held("/var/tmp and /dev/shm", `${sizeText(limits.tmp / 2)} each`, TMPFS),
    usesHelper ? held("one file", sizeText(limits.file), "RLIMIT_FSIZE") : open("one file", NO_HELPER),
    open("disk", "the folders that commands can write are on your disk"),
  ];
}

export const limitText = (fact: LimitFact) =>
  fact.limit === null ? `not limited (${fact.because})` : `${fact.limit}, by ${fact.by}`;

const TMPFS = "its file system in memory";
const NO_HELPER = "signalbox's helper cannot run here";

const sizeText = (bytes: number) =>
  bytes < GIGABYTE ? `${Math.floor(bytes / 1024 ** 2)} MB` : `${Number((bytes / GIGABYTE).toFixed(1))} GB`;

/** Control groups that hold for a whole session. Disposing of it removes them. */
export interface LimitGroups extends Disposable {
  /** The files by which a process joins them. */
  readonly join: readonly string[];
  readonly held: readonly Grouped[];
}

type Grouped = "processes" | "memory";

/** Where the groups are, and what this process is in (`/proc/self/cgroup`). */
interface GroupPlace {
  readonly mount: string;
  readonly own: string;
}

/**
 * Makes control groups with these limits. Only root may make them; empty for others, and where they cannot be written.
 * A limit counts as held only if the kernel reads it back.
 */
export function limitGroups(
  limits: Limits,
  place: GroupPlace | undefined = process.getuid?.() === 0 ? thisMachine() : undefined,
): LimitGroups {
  const made = new Map<string, string>();
  const held = place === undefined ? [] : GROUPED.filter((what) => limitOne(what, limits[what], { ...place, made }));
  return {
    join: [...made.values()].map((folder) => join(folder, "cgroup.procs")),
    held,
    [Symbol.dispose]: () => [...made.values()].forEach(remove),
  };
}

const GROUPED: readonly Grouped[] = ["processes", "memory"];

/** The file of each limit in both versions of control groups, and the one that closes the way into swap. */
const FILES = {
  processes: { controller: "pids", one: ["pids.max"], two: ["pids.max"] },
  memory: {
    controller: "memory",
    one: ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
    two: ["memory.max", "memory.swap.max"],
  },
} as const satisfies Record<Grouped, object>;

interface MakeGroup extends GroupPlace {
  /** By the folder that they are in: version 2 has both limits in one group. */
  readonly made: Map<string, string>;
}

function limitOne(what: Grouped, value: number, { mount, own, made }: MakeGroup): boolean {
  const { controller, one, two } = FILES[what];
  const parent = groupOf(controller, mount, own);
  const [limit, swap] = parent === mount ? two : one;
  const known = made.get(parent);
  const folder = known ?? join(parent, `${PREFIX}${randomId().slice(0, 12)}`);
  try {
    if (known === undefined) {
      removeLeft(parent);
      mkdirSync(folder);
    }
    write(join(folder, limit), value);
    if (Math.abs(Number(readFileSync(join(folder, limit), "utf8")) - value) > ROUNDING) throw new Error("not held");
  } catch {
    if (known === undefined) remove(folder);
    return false;
  }
  made.set(parent, folder);
  try {
    if (swap !== undefined) write(join(folder, swap), parent === mount ? 0 : value);
  } catch {
    // A kernel that does not count swap. The memory itself is limited.
  }
  return true;
}

/** The kernel makes the files. Where there are none, this is not a control group. */
const write = (file: string, value: number) => writeFileSync(file, String(value), { flag: "r+" });

/** The kernel rounds to pages. */
const ROUNDING = 65_536;

/** Version 1 has a tree for each controller, and a group inside our own, so that its limits keep holding. */
function groupOf(controller: string, mount: string, own: string): string {
  const tree = join(mount, controller);
  if (!existsSync(tree)) return mount;
  const line = own.split("\n").find((each) => each.split(":")[1]?.split(",").includes(controller));
  const inside = join(tree, line?.split(":").slice(2).join(":") ?? "");
  return existsSync(inside) ? inside : tree;
}

function thisMachine(): GroupPlace | undefined {
  try {
    return { mount: "/sys/fs/cgroup", own: readFileSync("/proc/self/cgroup", "utf8") };
  } catch {
    return undefined;
  }
}

/** Groups of sessions that were killed. One that has processes stays, and so does a new one that nobody has joined yet. */
function removeLeft(parent: string): void {
  for (const name of folderNames(parent)) {
    const folder = join(parent, name);
    const made = statSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (name.startsWith(PREFIX) && Date.now() - made > JOINED_MS) remove(folder);
  }
}

const PREFIX = "signalbox-";
const JOINED_MS = 60_000;

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // A process of it still ends; an empty group costs nothing.
  }
}
