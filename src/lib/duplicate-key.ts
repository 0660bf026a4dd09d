import { parseJson } from "./parse-json.ts";
import { BRACE, BRACKET, END_BRACE, END_BRACKET, isJsonKey, QUOTE, scanJson } from "./scan-json.ts";

/**
 * The first key that appears twice in one object of a JSON text, or undefined. Parsers disagree about which of the two
 * wins, so such a text is ambiguous. Does not check whether the text is valid.
 */
export function duplicateKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let found: string | undefined;
  scanJson(text, (first, start, end) => {
    if (first === BRACE) open.push(new Set());
    else if (first === BRACKET) open.push(undefined);
    else if (first === END_BRACE || first === END_BRACKET) open.pop();
    const keys = first === QUOTE ? open.at(-1) : undefined;
    if (keys === undefined || !isJsonKey(text, end - 1)) return false;
    const key = unescaped(text.slice(start, end));
    if (keys.has(key)) found = key;
    keys.add(key);
    return found !== undefined;
  });
  return found;
}

/** `"a"` and `"\u0061"` are one key. */
function unescaped(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(parseJson(quoted));
  } catch {
    return quoted;
  }
}
