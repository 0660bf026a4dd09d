import { UserError } from "./user-error.ts";

/** The folder that we were started in. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UserError("the current folder is gone", {
      where: process.env["PWD"] ?? ".",
      fix: "cd to a folder that exists",
      cause,
    });
  }
}
