import type { Finding, Risk } from "../../contract/screening.ts";
import { screen } from "../../guard/screen/screen.ts";
import { raiseTaint } from "../../guard/taint-store.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { readLines } from "../../lib/text/decode-lines.ts";
import { EXIT, messageOf } from "../../lib/text/user-error.ts";
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

/** The result of `screenLines` for one line. `id` is the line number if the line has no id. */
type ScreenedLine =
  | { readonly id: unknown; readonly risk: Risk; readonly findings: readonly Finding[]; readonly unread?: number }
  | { readonly id: unknown; readonly error: string };

/**
 * Screens JSON lines `{id, text, channel}`, with one result each in the same order. A bad line gets an error result and
 * never throws.
 */
export async function* screenLines(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<ScreenedLine> {
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() !== "") yield screenLine(line, number);
  }
}

/** Screens one JSON line; `number` is its id if it has none. */
function screenLine(line: string, number: number): ScreenedLine {
  let parsed: unknown;
  try {
    parsed = parseJson(line);
  } catch (error) {
    return { id: number, error: `not JSON: ${messageOf(error)}` };
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return { id: number, error: "not an object" };
  const id = "id" in parsed ? parsed.id : number;
  if (!("text" in parsed) || typeof parsed.text !== "string") return { id, error: "text must be a string" };
  const channel = "channel" in parsed ? parsed.channel : undefined;
  if (channel !== undefined && channel !== null && typeof channel !== "string")
    return { id, error: "channel must be a string" };
  return { id, ...screen(parsed.text, { channel: channel ?? undefined }) };
}
