/** Reads JSON letter by letter: simple, and without help from `JSON.parse`. Throws for invalid JSON. */
export function referenceJson(text: string): unknown {
  const at = { index: 0 };
  const value = readValue(text, at);
  skipBlanks(text, at);
  if (at.index < text.length) fail();
  return value;
}

interface Cursor {
  index: number;
}

function fail(): never {
  throw new SyntaxError("no JSON");
}

function skipBlanks(text: string, at: Cursor): void {
  while (" \t\n\r".includes(text[at.index] ?? "x")) at.index++;
}

/** Steps over blanks and one character, if it is the next. */
function takes(text: string, at: Cursor, character: string): boolean {
  skipBlanks(text, at);
  if (text[at.index] !== character) return false;
  at.index++;
  return true;
}

function readValue(text: string, at: Cursor): unknown {
  if (takes(text, at, '"')) return readString(text, at);
  if (takes(text, at, "{")) return readObject(text, at);
  if (takes(text, at, "[")) return readArray(text, at);
  SCALAR.lastIndex = at.index;
  const token = SCALAR.exec(text)?.[0] ?? fail();
  at.index += token.length;
  if (token === "null") return null;
  return token === "true" || token === "false" ? token === "true" : Number(token);
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function readObject(text: string, at: Cursor): unknown {
  const fields: [string, unknown][] = [];
  if (takes(text, at, "}")) return {};
  do {
    if (!takes(text, at, '"')) fail();
    const key = readString(text, at);
    if (!takes(text, at, ":")) fail();
    fields.push([key, readValue(text, at)]);
  } while (takes(text, at, ","));
  if (!takes(text, at, "}")) fail();
  return Object.fromEntries(fields);
}

function readArray(text: string, at: Cursor): unknown {
  const items: unknown[] = [];
  if (takes(text, at, "]")) return items;
  do items.push(readValue(text, at));
  while (takes(text, at, ","));
  if (!takes(text, at, "]")) fail();
  return items;
}

function readString(text: string, at: Cursor): string {
  let read = "";
  for (;;) {
    const character = text[at.index++] ?? fail();
    if (character === '"') return read;
    if (character < " ") fail();
    read += character === "\\" ? readEscape(text, at) : character;
  }
}

function readEscape(text: string, at: Cursor): string {
  const letter = text[at.index++] ?? fail();
  if (letter !== "u") return SIMPLE[letter] ?? fail();
  const digits = text.slice(at.index, at.index + 4);
  if (!/^[\da-fA-F]{4}$/.test(digits)) fail();
  at.index += 4;
  return String.fromCharCode(Number.parseInt(digits, 16));
}

const SIMPLE: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
