import { realpathSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { UserError } from "./user-error.ts";

/** The folder we were started in. It must exist, and every folder above it must be accessible. */
export function currentFolder(): string {
  let folder: string | undefined;
  try {
    folder = process.cwd();
    realpathSync(folder);
    return folder;
  } catch (cause) {
    // A shell in such a folder may leave the variable empty.
    const { PWD: known } = process.env;
    const where = folder ?? (known === undefined || known === "" ? "the folder signalbox was started in" : known);
    throw isGone(folder, cause)
      ? new UserError("the current folder no longer exists", { where, fix: "cd to an existing folder", cause })
      : new UserError(`cannot access the current folder (${errorCode(cause) ?? String(cause)})`, {
          where,
          fix: "cd to a folder you can access",
          cause,
        });
  }
}

const isGone = (folder: string | undefined, cause: unknown) => folder === undefined || errorCode(cause) === "ENOENT";
