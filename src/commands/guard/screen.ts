import { type ScreenedLine, screenLines } from "../../guard/screen/screen-lines.ts";
import { raiseTaint } from "../../guard/taint-store.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { readLines } from "../../lib/text/decode-lines.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { printLine, textFlag } from "../flags.ts";
import type { CommandInput } from "../command-module.ts";

/** Screens JSON lines `{id, text, channel}` from standard input, one answer per line, in the same order. */
export async function screenInput({ flags }: CommandInput): Promise<number> {
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
