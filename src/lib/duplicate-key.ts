/**
 * The first key that stands twice in one object of a JSON text, or undefined. Readers disagree about which of the two
 * counts, so such a text has no one meaning. Says nothing about whether the text is valid.
 */
export function duplicateKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === BRACE) open.push(new Set());
    else if (character === BRACKET) open.push(undefined);
    else if (character === END_BRACE || character === END_BRACKET) open.pop();
    else if (character === QUOTE) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys !== undefined && isKey(text, end)) {
        const key = unescaped(text.slice(at, end + 1));
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

const [QUOTE, BACKSLASH, COLON, BRACE, BRACKET, END_BRACE, END_BRACKET] = [34, 92, 58, 123, 91, 125, 93];

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === BACKSLASH) at++;
    else if (character === QUOTE) return at;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return text.charCodeAt(at) === COLON;
}

/** `"a"` and `"\u0061"` are one key. */
function unescaped(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
