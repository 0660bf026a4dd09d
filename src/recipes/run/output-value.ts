import { jsonDepth } from "../../lib/json-depth.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { ContextValue } from "../recipe/recipe.ts";

const MAX_DEPTH = 100;

/**
 * The value that an output is stored as: typed when the whole of it is JSON, otherwise text. A number that would
 * change by being read, such as a long id, stays text.
 */
export function storedValue(output: string): ContextValue {
  const text = output.trim();
  const value = jsonIn(text);
  if (value === undefined || (typeof value === "number" && String(value) !== text)) return output;
  return value;
}

/** The JSON in an output: all of it, the first fenced block, or the first balanced object or list. */
export function extractJson(output: string): ContextValue {
  const text = output.trim();
  const fenced = /```[A-Za-z]*[ \t]*\n([^]*?)\n?[ \t]*```/.exec(text)?.[1];
  return jsonIn(text) ?? jsonIn(fenced?.trim() ?? "") ?? firstBalanced(text, "{", "}") ?? firstBalanced(text, "[", "]");
}

function jsonIn(text: string): ContextValue {
  if (!/^[-\d"[{tfn]/.test(text) || jsonDepth(text) > MAX_DEPTH) return undefined;
  try {
    return parseJson(text);
  } catch {
    // Most output is not JSON.
    return undefined;
  }
}

const MAX_STARTS = 1000;

/** The first part of a text between matching brackets that is JSON. */
function firstBalanced(text: string, open: string, close: string): ContextValue {
  let start = text.indexOf(open);
  for (let tried = 0; start !== -1 && tried < MAX_STARTS; tried++) {
    const end = balancedEnd(text, start, { open, close });
    const value = end === undefined ? undefined : jsonIn(text.slice(start, end));
    if (value !== undefined) return value;
    start = text.indexOf(open, start + 1);
  }
  return undefined;
}

function balancedEnd(
  text: string,
  start: number,
  { open, close }: { open: string; close: string },
): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isText && character === "\\") at++;
    else if (character === '"') isText = !isText;
    else if (!isText && character === open) depth++;
    else if (!isText && character === close && --depth === 0) return at + 1;
  }
  return undefined;
}
