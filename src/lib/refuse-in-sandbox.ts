import { existsSync } from "node:fs";
import { EXIT, UserError } from "./user-error.ts";

/** The first process of a session's sandbox, seen from inside. */
const INSIDE = "/run/signalbox/init";

/** Whether this process runs inside a session's sandbox. */
export const isInSandbox = (inside = INSIDE): boolean => existsSync(inside);

/** Refuses what would have no effect inside a session's sandbox, where the home folder is another one. */
export function refuseInSandbox(problem: string, fix: string, inside = INSIDE): void {
  if (isInSandbox(inside)) throw new UserError(problem, { fix, exitCode: EXIT.refused });
}
