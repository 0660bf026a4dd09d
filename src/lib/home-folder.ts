import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { UserError } from "./user-error.ts";

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
