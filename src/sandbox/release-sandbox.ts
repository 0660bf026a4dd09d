import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import type { SandboxPlan } from "./sandboxed-argv.ts";

/** Plans of this process's commands that are running now. */
const live = new Set<SandboxPlan>();

/**
 * Paths where bubblewrap may have left an empty folder. A plan made while another one is using it sees it as existing.
 */
const placeholders = new Set<string>();

/**
 * Registers a plan before its command starts. Throws if a running command could change where a writable mount leads: it
 * can move any folder that is not itself a mount, and put a link in its place.
 */
export function registerSandbox(plan: SandboxPlan): void {
  for (const other of live) {
    const fixed = new Set(other.mounts.map(({ path }) => path));
    const loose = plan.mounts.find(({ kind, path }) => kind === "writable" && !fixed.has(path));
    if (loose !== undefined)
      throw new Error(`${loose.path} needs protection since another command started; wait for that command or stop it`);
  }
  live.add(plan);
  plan.absent.forEach((path) => placeholders.add(path));
}

/**
 * Removes the empty folders that a sandbox left, once no running command uses them; removing one earlier would lift
 * that command's protection. Also removes unwanted files that the command created, and returns their paths.
 */
export function releaseSandbox(plan: SandboxPlan): readonly string[] {
  live.delete(plan);
  const mountedPaths = new Set([...live].flatMap(({ mounts }) => mounts.map(({ path }) => path)));
  const free = [...new Set([...placeholders, ...plan.absent])].filter((path) => !mountedPaths.has(path));
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
    // Never created, or something outside the sandbox put content into it.
  }
}

/** The mount tables of processes in other mount namespaces. */
function mountsOfOthers(): string {
  const own = readlinkSync("/proc/self/ns/mnt");
  const tables = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const space = readlinkSync(`/proc/${pid}/ns/mnt`);
      if (space !== own && !tables.has(space)) tables.set(space, readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
    } catch {
      // The process ended or belongs to another user.
    }
  }
  return [...tables.values()].join("\n");
}

/** How mount tables escape blanks and backslashes. */
const octal = (path: string) =>
  path.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
