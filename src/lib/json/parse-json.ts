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

/** The same; undefined for a text that is not JSON. */
export function jsonIfValid(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
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

// A lone string has no key that could be misread.
const { parse: parseString } = JSON;

/** Replaces a string or number. It also sees keys, which stay unchanged. */
type ReadScalar = (value: string | number, token: string) => unknown;

/**
 * The value of a text that `JSON.parse` accepts. Slower, but free of V8's bug with escaped keys, and numbers are passed
 * on as written. It uses its own stack, so deep nesting is safe.
 */
export function readValidJson(text: string, readScalar: ReadScalar = (value) => value): unknown {
  const outermost: unknown[] = [];
  const open: Container[] = [{ items: outermost }];
  const put = (value: unknown) => {
    const parent = open.at(-1);
    if (parent?.items !== undefined) parent.items.push(value);
    else if (parent?.key !== undefined) {
      setField(parent.fields, parent.key, value);
      parent.key = undefined;
    }
  };

  scanJson(text, (first, start, end) => {
    if (first === END_BRACKET || first === END_BRACE) open.pop();
    else if (first === BRACKET) {
      const items: unknown[] = [];
      put(items);
      open.push({ items });
    } else if (first === BRACE) {
      const fields = {};
      put(fields);
      open.push({ fields, key: undefined });
    } else {
      const token = text.slice(start, end);
      const value = scalar(token);
      const read = typeof value === "string" || typeof value === "number" ? readScalar(value, token) : value;
      const parent = open.at(-1);
      if (parent?.fields !== undefined && parent.key === undefined) parent.key = String(value);
      else put(read);
    }
    return false;
  });
  return outermost[0];
}

/** An array, or an object and the key whose value comes next. */
type Container =
  | { readonly items: unknown[]; readonly fields?: undefined }
  | { readonly fields: Record<string, unknown>; key: string | undefined; readonly items?: undefined };

function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  // Assigning it would set the prototype instead.
  if (key === "__proto__")
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}

function scalar(token: string): string | number | boolean | null {
  if (token.startsWith('"')) return token.includes("\\") ? String(parseString(token)) : token.slice(1, -1);
  if (token === "null") return null;
  return token === "true" || token === "false" ? token === "true" : Number(token);
}

const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET] = [0x22, 0x7b, 0x5b, 0x7d, 0x5d];

const [BACKSLASH, COLON, COMMA, SPACE] = [0x5c, 0x3a, 0x2c, 0x20];

/**
 * Called for each bracket, string, number and literal of a JSON text, with the code of its first character and the part
 * of the text that it takes. A string includes its quotes. Return true to stop.
 */
type VisitToken = (first: number, start: number, end: number) => boolean | undefined;

/** Visits the tokens of a JSON text in order, whether or not the text is valid. An unclosed string ends with the text. */
function scanJson(text: string, visit: VisitToken): void {
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
function isJsonKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}

/** How deeply the brackets of a JSON text nest, ignoring strings. Does not check whether the text is valid. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  scanJson(text, (first) => {
    if (first === BRACE || first === BRACKET) deepest = Math.max(deepest, ++depth);
    else if (first === END_BRACE || first === END_BRACKET) depth--;
    return false;
  });
  return deepest;
}

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
