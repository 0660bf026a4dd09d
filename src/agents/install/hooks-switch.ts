import { parseJson } from "../../lib/parse-json.ts";
import { stringEnd } from "../../lib/scan-json.ts";

const VALUE = /\s*:\s*(false(?![^\s,}\]]))?/y;

/**
 * Whether a JSON text may switch every hook off. Agents accept several spellings of the key, and parsers differ in which
 * of two keys wins. So every occurrence counts, at any depth, with any value except false.
 */
export function switchesHooksOff(text: string): boolean {
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = stringEnd(text, start);
    VALUE.lastIndex = end + 1;
    const value = VALUE.exec(text);
    if (value !== null && value[1] === undefined && isSwitch(text.slice(start, end + 1))) return true;
    start = text.indexOf('"', end + 1);
  }
  return false;
}

function isSwitch(quoted: string): boolean {
  const key = quoted.includes("\\") ? String(parseJson(quoted)) : quoted;
  return key.toLowerCase().replaceAll(/[^a-z]/g, "") === "disableallhooks";
}
