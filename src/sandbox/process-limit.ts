import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../lib/random-id.ts";

/** Processes and threads of one session. A build with many workers has a few hundred. */
export const MAX_PROCESSES = 4096;

export interface ProcessLimit extends Disposable {
  /** The file by which a process joins the group. */
  readonly join: string;
}

/**
 * A control group that limits the number of processes. The kernel does not apply the ordinary limit to root, and only
 * root may make groups; undefined for others, and where the groups cannot be written.
 */
export function processGroup(
  max: number,
  base = CGROUPS.find((folder) => existsSync(folder)),
): ProcessLimit | undefined {
  if (process.getuid?.() !== 0 || base === undefined) return undefined;
  const folder = join(base, `signalbox-${randomId().slice(0, 12)}`);
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  const remove = () => {
    try {
      rmdirSync(folder);
    } catch {
      // A process of it still ends; an empty group costs nothing.
    }
  };
  try {
    writeFileSync(join(folder, "pids.max"), String(max));
    return { join: join(folder, "cgroup.procs"), [Symbol.dispose]: remove };
  } catch {
    remove();
    return undefined;
  }
}

const CGROUPS = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
