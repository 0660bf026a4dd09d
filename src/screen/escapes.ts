/** An encoded character. `counts` is false for everyday ones (`&amp;`, `\n`), which hide nothing. */
interface Escape {
  readonly text: string;
  readonly length: number;
  readonly counts: boolean;
}

/**
 * The encoded character at `at`: an HTML entity, a run of percent codes, or a backslash escape. Undefined if there is
 * none.
 */
export function readEscape(text: string, at: number): Escape | undefined {
  switch (text.charCodeAt(at)) {
    case 0x26:
      return readEntity(text, at);
    case 0x25:
      return readPercent(text, at);
    default:
      return readBackslash(text, at);
  }
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const MAX_ENTITY = 10;

function readEntity(text: string, at: number): Escape | undefined {
  const end = text.slice(at, at + MAX_ENTITY).indexOf(";");
  if (end < 2) return undefined;
  const name = text.slice(at + 1, at + end);
  if (name[0] !== "#") {
    const named = NAMED[name];
    return named === undefined ? undefined : { text: named, length: end + 1, counts: false };
  }
  const hexadecimal = name[1] === "x" || name[1] === "X";
  const character = fromCode(name.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
  return character === undefined ? undefined : { text: character, length: end + 1, counts: true };
}

function readPercent(text: string, at: number): Escape | undefined {
  const bytes: number[] = [];
  for (let next = at; text[next] === "%" && bytes.length < 4096; next += 3) {
    const byte = hexByte(text, next + 1);
    if (byte < 0) break;
    bytes.push(byte);
  }
  if (bytes.length === 0) return undefined;
  return { text: utf8.decode(new Uint8Array(bytes)), length: bytes.length * 3, counts: true };
}

function readBackslash(text: string, at: number): Escape | undefined {
  switch (text[at + 1]) {
    case "n":
    case "r":
    case "t":
      return { text: text[at + 1] === "n" ? "\n" : " ", length: 2, counts: false };
    case '"':
    case "'":
      return { text: text[at + 1] ?? "", length: 2, counts: false };
    case "x": {
      const byte = hexByte(text, at + 2);
      return byte < 0 ? undefined : { text: String.fromCharCode(byte), length: 4, counts: true };
    }
    case "u":
      return readUnicode(text, at);
    default:
      return undefined;
  }
}

function readUnicode(text: string, at: number): Escape | undefined {
  if (text[at + 2] !== "{") {
    const character = fromCode(text.slice(at + 2, at + 6), 16);
    return character === undefined || text.length < at + 6 ? undefined : { text: character, length: 6, counts: true };
  }
  const end = text.slice(at, at + MAX_ENTITY).indexOf("}");
  const character = end < 4 ? undefined : fromCode(text.slice(at + 3, at + end), 16);
  return character === undefined ? undefined : { text: character, length: end + 1, counts: true };
}

function fromCode(digits: string, base: 10 | 16): string | undefined {
  if (!(base === 16 ? /^[0-9a-f]{1,6}$/i : /^[0-9]{1,7}$/).test(digits)) return undefined;
  const codePoint = Number.parseInt(digits, base);
  return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}

function hexByte(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
  if (code > 0x2f && code < 0x3a) return code - 0x30;
  const lower = code | 0x20;
  return lower > 0x60 && lower < 0x67 ? lower - 0x57 : -1;
}

const utf8 = new TextDecoder();
