import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { strayLink } from "./git-places.ts";
import type { SandboxPlan } from "./sandboxed-argv.ts";

/** How many commands of this process hold each path. */
const held = new Map<string, number>();

/** Say that a command with this plan is about to start. */
export function holdSandbox({ absent }: SandboxPlan): void {
  for (const path of absent) held.set(path, (held.get(path) ?? 0) + 1);
}

/**
 * Takes away the empty folders that a sandbox left, once no command holds them: removing one would uncover it for a
 * command that still runs. Returns what the command made although it must not be there; that is removed too.
 */
export function releaseSandbox({ absent, workspace }: SandboxPlan): readonly string[] {
  for (const path of absent) held.set(path, (held.get(path) ?? 1) - 1);
  const free = absent.filter((path) => (held.get(path) ?? 0) <= 0);
  const mounted = free.length === 0 ? "" : mountsOfOthers();
  for (const path of free) {
    held.delete(path);
    if (!mounted.includes(` ${octal(path)} `)) removeEmpty(path);
  }
  const stray = strayLink(workspace);
  if (!existsSync(stray)) return [];
  rmSync(stray, { recursive: true, force: true });
  return [stray];
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
