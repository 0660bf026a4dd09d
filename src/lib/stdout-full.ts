import { errorCode } from "./error-code.ts";
import { EXIT, UserError } from "./user-error.ts";

/** A full disk behind stdout is the person's to mend. Every other error comes back as it is. */
export function stdoutFull(error: Error): Error {
  if (!("syscall" in error) || error.syscall !== "write") return error;
  return new UserError(`cannot write the output (${errorCode(error)})`, {
    fix: "free some space there",
    exitCode: EXIT.failed,
    cause: error,
  });
}
