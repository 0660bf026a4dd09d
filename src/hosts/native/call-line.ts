import type { ToolCall } from "../../contract/tool.ts";
import { isRecord } from "../../lib/is-record.ts";
import { printable } from "../../lib/printable.ts";

const MOST = 100;
const MOST_PATTERN = 50;
/** The arguments that say most about a call, first the most telling one. */
const TELLING = ["command", "pattern", "path", "url", "query", "question", "topic"];

/** A call in one short line for a person, safe to print. */
export function callLine({ name, input }: Pick<ToolCall, "name" | "input">): string {
  const fields = isRecord(input) ? input : {};
  const key = TELLING.find((candidate) => typeof fields[candidate] === "string");
  const told = key === undefined ? JSON.stringify(fields) : key === "pattern" ? search(fields) : String(fields[key]);
  return oneLine(`${name} ${told === "{}" ? "" : told}`.trim(), MOST);
}

/** The place is where a search could do harm, so a long pattern must not push it out of the line. */
function search({ pattern, path }: Readonly<Record<string, unknown>>): string {
  return typeof path === "string" && path !== "."
    ? `${oneLine(String(pattern), MOST_PATTERN)} in ${path}`
    : String(pattern);
}

/** Text as one line of at most `most` characters, safe to print. */
export function oneLine(text: string, most: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
