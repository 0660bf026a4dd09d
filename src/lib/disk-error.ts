import { errorCode } from "./error-code.ts";
import { EXIT, UserError } from "./user-error.ts";

const NO_ROOM = ["ENOSPC", "EDQUOT"];
const NO_WRITES = ["EROFS", "EFBIG"];
/** SQLite's codes for the same errors. */
const SQLITE = { readOnly: 8, ioError: 10, full: 13 };

/** A full or read-only disk as a user error; undefined for every other error. */
export function diskError(error: unknown, where?: string): UserError | undefined {
  const code = errorCode(error) ?? "";
  const sqlite = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  const full = NO_ROOM.includes(code) || sqlite === SQLITE.full;
  const unwritable = NO_WRITES.includes(code) || sqlite === SQLITE.readOnly || sqlite === SQLITE.ioError;
  if (!full && !unwritable) return undefined;
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : where;
  return new UserError(full ? "the disk is full" : "the disk is read-only", {
    ...(path === undefined ? {} : { where: path }),
    fix: full ? "free some space there" : "make it writable, or set SIGNALBOX_HOME to a writable folder",
    exitCode: EXIT.failed,
    cause: error,
  });
}
