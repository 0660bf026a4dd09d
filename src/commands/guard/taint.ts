import { clearTaint, readTaint } from "../../guard/taint-store.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { printJson, textFlag } from "../flags.ts";
import type { CommandInput } from "../command-module.ts";

/** Shows or clears the taint of a session that has read something suspicious. */
export async function run({ flags }: CommandInput): Promise<number> {
  const session = textFlag(flags, "session");
  if (session === undefined) throw new UserError("no session given", { where: "guard taint", fix: "add --session ID" });
  if (flags["clear"] === true) clearTaint(signalboxHome(), session);
  const taint = readTaint(signalboxHome(), session);
  if (flags["json"] === true) printJson({ session, tainted: taint !== undefined, ...taint });
  else process.stdout.write(taint === undefined ? "not tainted\n" : `tainted since ${taint.since}: ${taint.because}\n`);
  return EXIT.ok;
}
