import { type ScreenedLine, screenLines } from "../../screen/screen-lines.ts";
import { raiseTaint } from "../../guard/taint/taint-store.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { readLines } from "../../lib/read-lines.ts";
import { EXIT } from "../../lib/user-error.ts";
import { textFlag } from "../flags.ts";
import { printLine } from "../print-line.ts";
import type { CommandInput } from "../command-module.ts";

/** Screens JSON lines `{id, text, channel}` from standard input, one answer per line, in the same order. */
export async function run({ flags }: CommandInput): Promise<number> {
  const session = textFlag(flags, "session");
  for await (const answer of screenLines(readLines(process.stdin))) {
    if (session !== undefined) mark(session, answer);
    await printLine(answer);
  }
  return EXIT.ok;
}

/** Text taints a session from `medium` on, and so does text that could not be screened. */
function mark(session: string, answer: ScreenedLine): void {
  if ("risk" in answer && (answer.risk === "none" || answer.risk === "low")) return;
  const because = "risk" in answer ? (answer.findings[0]?.because ?? answer.risk) : `not screened: ${answer.error}`;
  raiseTaint(signalboxHome(), session, { since: new Date().toISOString(), because });
}
