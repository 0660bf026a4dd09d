import type { Finding, Risk } from "../../contract/screening.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { screen } from "./screen.ts";

/** The result of `screenLines` for one line. `id` is the line number if the line has no id. */
export type ScreenedLine =
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
