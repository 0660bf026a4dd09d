export const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET] = [0x22, 0x7b, 0x5b, 0x7d, 0x5d];
const [BACKSLASH, COLON, COMMA, SPACE] = [0x5c, 0x3a, 0x2c, 0x20];

/**
 * Called for each bracket, string, number and literal of a JSON text, with the code of its first character and the part
 * of the text that it takes. A string includes its quotes. Return true to stop.
 */
export type VisitToken = (first: number, start: number, end: number) => boolean | undefined;

/** Visits the tokens of a JSON text in order, whether or not the text is valid. An unclosed string ends with the text. */
export function scanJson(text: string, visit: VisitToken): void {
  for (let at = 0; at < text.length;) {
    const first = text.charCodeAt(at);
    if (first <= SPACE || first === COMMA || first === COLON) at++;
    else {
      const end = tokenEnd(text, at, first);
      if (visit(first, at, end) === true) return;
      at = end;
    }
  }
}

function tokenEnd(text: string, start: number, first: number): number {
  if (first === QUOTE) return Math.min(stringEnd(text, start) + 1, text.length);
  if (isBracket(first)) return start + 1;
  let end = start + 1;
  while (end < text.length && isPlain(text.charCodeAt(end))) end++;
  return end;
}

// { and [ differ by one bit, and so do } and ].
const isBracket = (unit: number) => (unit | 0x20) === BRACE || (unit | 0x20) === END_BRACE;

const isPlain = (unit: number) =>
  unit > SPACE && unit !== COMMA && unit !== COLON && unit !== QUOTE && !isBracket(unit);

/** Where the string that opens at `start` of a JSON text closes; the end of the text if it does not. */
export function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether the string that closes at `end` of a JSON text is a key, i.e. a colon follows. */
export function isJsonKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}
