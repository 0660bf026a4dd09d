import { isJsonKey } from "./json-key.ts";
import { parseJson } from "./parse-json.ts";
import { stringEnd } from "./string-end.ts";

/**
 * The first key that appears twice in one object of a JSON text, or undefined. Parsers disagree about which of the two
 * wins, so such a text is ambiguous. Does not check whether the text is valid.
 */
export function duplicateKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === BRACE) open.push(new Set());
    else if (character === BRACKET) open.push(undefined);
    else if (character === END_BRACE || character === END_BRACKET) open.pop();
    else if (character === QUOTE) {
      const end = stringEnd(text, at);
      const keys = open.at(-1);
      if (keys !== undefined && isJsonKey(text, end)) {
        const key = unescaped(text.slice(at, end + 1));
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET] = [34, 123, 91, 125, 93];

/** `"a"` and `"\u0061"` are the same key. */
function unescaped(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(parseJson(quoted));
  } catch {
    return quoted;
  }
}
