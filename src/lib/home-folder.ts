import { homedir } from "node:os";
import { join } from "node:path";

/** The folder where signalbox keeps what belongs to the user: `SIGNALBOX_HOME`, else `~/.signalbox`. */
export function signalboxHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["SIGNALBOX_HOME"] ?? join(homedir(), ".signalbox");
}
