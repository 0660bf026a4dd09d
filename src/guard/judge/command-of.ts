import { isRecord, strings } from "../../lib/is-record.ts";
import { shQuote } from "../../lib/sh-quote.ts";

const COMMAND_KEYS = ["command", "cmd", "script"] as const;

/** The command text: a string, or an argv as some agents send it. A call with two commands is ambiguous. */
export function commandOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const given = COMMAND_KEYS.map((key) => input[key]).filter((value) => value !== undefined);
  const [only] = given;
  if (given.length !== 1) return undefined;
  const texts = strings(input["args"]) ?? [];
  if (input["args"] !== undefined && strings(input["args"]) === undefined) return undefined;
  if (typeof only === "string") return [only, ...texts.map(shQuote)].join(" ");
  return strings(only)?.concat(texts).map(shQuote).join(" ");
}
