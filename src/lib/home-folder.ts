import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folder where signalbox keeps what belongs to the user: `SIGNALBOX_HOME` when it is absolute, else `~/.signalbox`. */
export function signalboxHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SIGNALBOX_HOME: setting } = environment;
  if (setting !== undefined && isAbsolute(setting)) return setting;
  const home = homedir();
  // A relative HOME would put the person's own rules and trust into whatever folder they stand in.
  return join(isAbsolute(home) ? home : userInfo().homedir, ".signalbox");
}
