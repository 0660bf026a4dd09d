import { processState } from "../../src/lib/process/process-table.ts";

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  return processState(pid)?.ended === false;
}
