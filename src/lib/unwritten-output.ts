import { errorCode } from "./error-code.ts";
import { EXIT, UserError } from "./user-error.ts";

/** A full disk behind stdout is the person's to mend. Every other error comes back as it is. */
export function unwrittenOutput(error: Error): Error {
  if (!("syscall" in error) || error.syscall !== "write") return error;
  return new UserError(`the output cannot be written (${errorCode(error)})`, {
    fix: "make room there",
    exitCode: EXIT.failed,
    cause: error,
  });
}
