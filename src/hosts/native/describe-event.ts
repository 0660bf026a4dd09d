import type { SessionEvent } from "../../engine/event.ts";
import type { ModelCall } from "../../contract/tool.ts";
import { isRecord } from "../../lib/is-record.ts";
import { printable } from "../../lib/printable.ts";

/** What to show the user about an event besides the model's text: one line, or undefined. */
export function describeEvent(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "tool-start":
      return `· ${callLine(event.call)}`;
    case "tool-end":
      return event.result.failed ? `  failed: ${oneLine(event.result.text, 160)}` : undefined;
    case "request-failed":
      return event.retryInMs === null
        ? `the model failed: ${oneLine(event.because, 300)}`
        : `the model failed (${oneLine(event.because, 120)}); retrying in ${(event.retryInMs / 1000).toFixed(1)} s`;
    case "response":
      return event.text.trim() === "" ? "the model's answer was empty" : undefined;
    case "history-replaced":
      return "the history was shortened to fit";
    case "prompt-refused":
      return `the prompt was refused: ${oneLine(event.because, 160)}`;
    case "gate-blocked":
      return `not finished (${event.gate}): ${oneLine(event.reason, 160)}`;
    case "gate-passed":
      return `${event.gate}: passed`;
    case "gate-gave-up":
      return `${event.gate}: gave up`;
    case "hook-failed":
      return `a ${event.hook} hook failed: ${oneLine(event.because, 160)}`;
    default:
      return undefined;
  }
}

const MAX_LINE = 100;
const MAX_PATTERN = 50;
/** The arguments that best describe a call, most descriptive first. */
const DESCRIPTIVE_KEYS = ["command", "pattern", "path", "url", "query", "question", "topic"];

/** A call as one printable line, short by default. Line breaks are made visible. */
export function callLine({ name, input }: Pick<ModelCall, "name" | "input">, most = MAX_LINE): string {
  return oneLine(`${name} ${mainArgument(input).text}`.trim().replaceAll(/\s*\n\s*/g, " ⏎ "), most);
}

/** The argument that best describes a call, and the remaining arguments. */
export function mainArgument(input: unknown) {
  const fields = isRecord(input) ? input : {};
  const key = DESCRIPTIVE_KEYS.find((candidate) => typeof fields[candidate] === "string");
  if (key !== undefined) {
    const isSearch = key === "pattern" && typeof fields["path"] === "string";
    const text = isSearch ? search(fields) : String(fields[key]);
    const usedKeys = isSearch ? [key, "path"] : [key];
    return { text, others: Object.entries(fields).filter(([other]) => !usedKeys.includes(other)) };
  }
  const text = JSON.stringify(fields);
  return { text: text === "{}" ? "" : text, others: [] };
}

/** The path is where a search could do harm, so a long pattern must not push it off the line. */
function search({ pattern, path }: Readonly<Record<string, unknown>>): string {
  return typeof path === "string" && path !== "."
    ? `${oneLine(String(pattern), MAX_PATTERN)} in ${path}`
    : String(pattern);
}

/** Text as one printable line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
