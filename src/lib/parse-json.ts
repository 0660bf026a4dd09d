import { readValidJson } from "./read-valid-json.ts";
import { isJsonKey, stringEnd } from "./scan-json.ts";

// Destructured so that the release build, which replaces every call of JSON.parse by this file, leaves this one alone.
const { parse } = JSON;

/**
 * `JSON.parse` without a V8 bug since Node 24, which can read a key with an escape as another key that it saw
 * earlier (docs/decisions/json-reader.md). Otherwise values and errors are the same.
 */
export function parseJson(text: string): unknown {
  const value: unknown = parse(text);
  return hasEscapedKey(text) ? readValidJson(text) : value;
}

/** Whether a key of a valid JSON text contains an escape. Other texts are safe with `JSON.parse`. */
export function hasEscapedKey(text: string): boolean {
  // The first backslash after the end of a string is always the first of another string.
  for (let escape = text.indexOf("\\"); escape !== -1;) {
    const end = stringEnd(text, escape - 1);
    if (isJsonKey(text, end)) return true;
    escape = text.indexOf("\\", end + 1);
  }
  return false;
}
