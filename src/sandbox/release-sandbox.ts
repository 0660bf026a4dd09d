import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import type { SandboxPlan } from "./sandboxed-argv.ts";

/** The plans of commands of this process that run now. */
const live = new Set<SandboxPlan>();

/** Paths where bubblewrap may have left an empty folder. A plan made while another holds one sees it as existing. */
const placeholders = new Set<string>();

/**
 * Says that a command with this plan is about to start. Throws when one that runs now could change what a writable mount
 * leads to: it can move any folder that is no mount of its own, and put a link in its place.
 */
export function holdSandbox(plan: SandboxPlan): void {
  for (const other of live) {
    const fixed = new Set(other.mounts.map(({ path }) => path));
    const loose = plan.mounts.find(({ kind, path }) => kind === "writable" && !fixed.has(path));
    if (loose !== undefined)
      throw new Error(`${loose.path} must be protected since another command started; wait for that one or stop it`);
  }
  live.add(plan);
  plan.absent.forEach((path) => placeholders.add(path));
}

/**
 * Takes away the empty folders that a sandbox left, once no command holds them: removing one would uncover it for a
 * command that still runs. Returns what the command made although it must not be there; that is removed too.
 */
export function releaseSandbox(plan: SandboxPlan): readonly string[] {
  live.delete(plan);
  const held = new Set([...live].flatMap(({ mounts }) => mounts.map(({ path }) => path)));
  const free = [...new Set([...placeholders, ...plan.absent])].filter((path) => !held.has(path));
  const mounted = free.length === 0 ? "" : mountsOfOthers();
  for (const path of free) {
    placeholders.delete(path);
    if (!mounted.includes(` ${octal(path)} `)) removeEmpty(path);
  }
  const strays = (plan.unwanted ?? []).filter((path) => existsSync(path));
  for (const path of strays) rmSync(path, { recursive: true, force: true });
  return strays;
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Never made, or somebody outside the sandbox put something into it.
  }
}

/** The mount tables of processes that do not see the disk as this one does. */
function mountsOfOthers(): string {
  const own = readlinkSync("/proc/self/ns/mnt");
  const tables = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const space = readlinkSync(`/proc/${pid}/ns/mnt`);
      if (space !== own && !tables.has(space)) tables.set(space, readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
    } catch {
      // It ended, or belongs to somebody else.
    }
  }
  return [...tables.values()].join("\n");
}

/** How mount tables write blanks and backslashes. */
const octal = (path: string) =>
  path.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
