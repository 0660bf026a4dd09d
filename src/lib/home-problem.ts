import { errorCode } from "./error-code.ts";
import { signalboxHome } from "./home-folder.ts";
import { isInside } from "./inside.ts";
import { unusableFolder } from "./make-folder.ts";
import type { UserError } from "./user-error.ts";

const CODES = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "ENOSPC", "EDQUOT"];

/** A system error about a file in the user's signalbox folder, with advice; undefined for every other error. */
export function homeProblem(error: unknown): UserError | undefined {
  if (!CODES.includes(errorCode(error) ?? "") || !(error instanceof Error) || !("path" in error)) return undefined;
  const { path } = error;
  return typeof path === "string" && isInside(path, signalboxHome()) ? unusableFolder(path, error) : undefined;
}
