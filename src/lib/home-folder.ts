import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { UserError } from "./user-error.ts";

/**
 * The folder where signalbox keeps what belongs to the user: `SIGNALBOX_HOME`, else `~/.signalbox`. A home that is no
 * absolute path would be another one in every folder, so it is refused.
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
