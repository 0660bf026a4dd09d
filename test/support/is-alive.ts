import { readFileSync } from "node:fs";

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
}
