import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { unusableFolder } from "../files/make-folder.ts";
import { errorCode, UserError } from "../text/user-error.ts";
import { isInside } from "./inside.ts";

/**
 * The user's signalbox folder: `SIGNALBOX_HOME`, or `~/.signalbox`. A home that is not an absolute path is rejected,
 * because it would mean something else in every folder.
 */
export function signalboxHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SIGNALBOX_HOME: setting } = environment;
  const home = homedir();
  if (!isAbsolute(home)) throw notAbsolute("HOME", home);
  if (setting === undefined || setting === "") return join(home, ".signalbox");
  if (!isAbsolute(setting)) throw notAbsolute("SIGNALBOX_HOME", setting);
  return setting;
}

function notAbsolute(name: string, value: string): UserError {
  return new UserError(`${name} is ${value === "" ? "empty" : "not an absolute path"}`, {
    where: `${name}=${value}`,
    fix: `set ${name} to the absolute path of a folder you own`,
  });
}

const CODES = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "ENOSPC", "EDQUOT"];

/** A system error about a file in the user's signalbox folder, with advice; undefined for every other error. */
export function homeProblem(error: unknown): UserError | undefined {
  if (!CODES.includes(errorCode(error) ?? "") || !(error instanceof Error) || !("path" in error)) return undefined;
  const { path } = error;
  return typeof path === "string" && isInside(path, signalboxHome()) ? unusableFolder(path, error) : undefined;
}
