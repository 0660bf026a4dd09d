import { stringEnd } from "./string-end.ts";

/**
 * A key that stands twice in one object of a JSON text, or undefined. Readers differ in which of the two they take, so such
 * a text has no one meaning. The text must be valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{") open.push(new Set());
    else if (character === "}") open.pop();
    else if (character === '"') {
      const end = stringEnd(text, index);
      const key = isKey(text, end) ? String(JSON.parse(text.slice(index, end + 1))) : undefined;
      if (key !== undefined && open.at(-1)?.has(key) === true) return key;
      if (key !== undefined) open.at(-1)?.add(key);
      index = end;
    }
  }
  return undefined;
}

/** A string is a key when a colon follows. */
function isKey(text: string, end: number): boolean {
  AFTER.lastIndex = end + 1;
  return AFTER.test(text);
}

const AFTER = /\s*:/y;
