import { errorCode } from "./error-code.ts";
import { EXIT, UserError } from "./user-error.ts";

/** True for what the system says when there is no room for more. */
export function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "");
}

export function fullDisk(where: string, cause: unknown): UserError {
  const fix = "make room there, or set SIGNALBOX_HOME to a folder on another disk";
  return new UserError("the disk is full", { where, fix, exitCode: EXIT.failed, cause });
}
