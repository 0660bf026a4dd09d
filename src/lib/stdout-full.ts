import { errorCode } from "./error-code.ts";
import { EXIT, UserError } from "./user-error.ts";

/** A full disk behind stdout becomes a user error. Every other error is returned unchanged. */
export function stdoutFull(error: Error): Error {
  if (!("syscall" in error) || error.syscall !== "write") return error;
  return new UserError(`cannot write the output (${errorCode(error)})`, {
    fix: "free some space there",
    exitCode: EXIT.failed,
    cause: error,
  });
}
