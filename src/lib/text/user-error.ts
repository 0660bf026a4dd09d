/** Signalbox's own exit codes. An agent's exit status is passed through unchanged. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  fault: 70,
  notRunnable: 126,
  notFound: 127,
} as const;

interface Advice {
  /** The file, flag or variable that contains the mistake. */
  readonly where?: string;
  /** What the person can do about it. */
  readonly fix: string;
  readonly exitCode?: number;
  readonly cause?: unknown;
  /** Set when no model was chosen or its key is missing, for programs that can ask the user for it. */
  readonly isAboutAccess?: true;
}

/** A mistake that the user can fix. Printed only by cli.ts. */
export class UserError extends Error {
  readonly where: string | undefined;
  readonly fix: string;
  readonly exitCode: number;
  readonly isAboutAccess: boolean;

  constructor(message: string, advice: Advice) {
    super(message, { cause: advice.cause });
    this.name = "UserError";
    this.where = advice.where;
    this.fix = advice.fix;
    this.exitCode = advice.exitCode ?? EXIT.usage;
    this.isAboutAccess = advice.isAboutAccess === true;
  }
}

/** Recognized by its shape, because a verb that is loaded later has its own copy of the class. */
export function isUserError(error: unknown): error is UserError {
  return error instanceof Error && error.name === "UserError" && "fix" in error && "exitCode" in error;
}

/** The error message, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The system's code for an error, such as `ENOENT`, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether an error says that nothing is at a path. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");

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

const WORDS: Record<string, { readonly what: string; readonly fix: string }> = {
  EMFILE: { what: "too many open files in this process", fix: "raise the limit: ulimit -n 1024" },
  ENFILE: { what: "too many open files on this machine", fix: "close some programs, or raise fs.file-max" },
  EAGAIN: { what: "cannot start another process", fix: "close some programs, or raise the limit: ulimit -u" },
  ENOMEM: { what: "not enough memory to start a process", fix: "close some programs" },
};

/** A user error for a machine that has run out of descriptors, processes or memory; undefined for every other error. */
export function shortageError(error: unknown): UserError | undefined {
  const code = errorCode(error) ?? "";
  const words = WORDS[code];
  if (words === undefined || (!code.endsWith("FILE") && !isFromSpawn(error))) return undefined;
  return new UserError(`${words.what} (${code})`, { fix: words.fix, exitCode: EXIT.failed, cause: error });
}

/** The same codes mean something else for a file or a socket. */
const isFromSpawn = (error: unknown) =>
  error instanceof Error && "syscall" in error && String(error.syscall).startsWith("spawn");
