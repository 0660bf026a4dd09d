import { realpathSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { UserError } from "./user-error.ts";

/** The folder that we were started in. It must be there, and every folder above it must let us through. */
export function currentFolder(): string {
  let folder: string | undefined;
  try {
    folder = process.cwd();
    realpathSync(folder);
    return folder;
  } catch (cause) {
    // A shell in such a folder may leave the variable empty.
    const { PWD: known } = process.env;
    const where = folder ?? (known === undefined || known === "" ? "the folder that signalbox was started in" : known);
    throw isGone(folder, cause)
      ? new UserError("the current folder is gone", { where, fix: "cd to a folder that exists", cause })
      : new UserError(`the current folder cannot be reached by its path (${errorCode(cause) ?? String(cause)})`, {
          where,
          fix: "cd to a folder that you may reach from /",
          cause,
        });
  }
}

const isGone = (folder: string | undefined, cause: unknown) => folder === undefined || errorCode(cause) === "ENOENT";
