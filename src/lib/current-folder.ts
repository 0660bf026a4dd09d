import { UserError } from "./user-error.ts";

/** The folder that we were started in. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    // A shell in such a folder may leave the variable empty.
    const { PWD: known } = process.env;
    throw new UserError("the current folder is gone", {
      where: known === undefined || known === "" ? "the folder that signalbox was started in" : known,
      fix: "cd to a folder that exists",
      cause,
    });
  }
}
