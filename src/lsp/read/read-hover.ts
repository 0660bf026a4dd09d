import { isRecord } from "../../lib/is-record.ts";
import { printable } from "../../lib/printable.ts";

const MAX_TEXT = 8000;

/** What a server says about a symbol, as text. */
export function readHover(result: unknown): string {
  const contents = isRecord(result) ? result["contents"] : undefined;
  const parts: readonly unknown[] = Array.isArray(contents) ? contents.slice(0, 50) : [contents];
  const text = parts
    .map(textOf)
    .filter((part) => part !== "")
    .join("\n\n");
  const shown = printable(text.slice(0, MAX_TEXT)).trim();
  return text.length > MAX_TEXT ? `${shown}\n[… ${text.length - MAX_TEXT} more characters]` : shown;
}

function textOf(part: unknown): string {
  if (typeof part === "string") return part;
  const value = isRecord(part) ? part["value"] : undefined;
  return typeof value === "string" ? value : "";
}
