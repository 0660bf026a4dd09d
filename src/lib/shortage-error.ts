import { errorCode } from "./error-code.ts";
import { EXIT, UserError } from "./user-error.ts";

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
