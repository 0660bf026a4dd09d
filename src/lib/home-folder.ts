import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folder where signalbox keeps what belongs to the user: `SIGNALBOX_HOME` when it is absolute, else `~/.signalbox`. */
export function signalboxHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SIGNALBOX_HOME: setting } = environment;
  return setting !== undefined && isAbsolute(setting) ? setting : join(homedir(), ".signalbox");
}
