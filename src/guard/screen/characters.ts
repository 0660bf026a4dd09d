/**
 * The comparison form of one code point: lower case, without compatibility forms and accents, without Arabic and Hebrew
 * vowel signs, with straight apostrophes. Empty for marks without a letter.
 */
export function fold(codePoint: number): string {
  if (codePoint < 0x80) return ASCII[codePoint] ?? "";
  let folded = known.get(codePoint);
  if (folded === undefined) {
    folded = foldUnknown(codePoint);
    if (known.size < 20_000) known.set(codePoint, folded);
  }
  return folded;
}

/** Folds a lexicon word at load time. Long ones are rebuilt, because a slice of the lexicon is slow to read. */
export function foldText(text: string): string {
  if (text.length < SHORT && PLAIN.test(text)) return text;
  let folded = "";
  for (const character of text) folded += fold(character.codePointAt(0) ?? 0);
  return folded;
}

/** The Latin letter that a Cyrillic or Greek letter imitates, or undefined. Only for words that mix scripts. */
export function imitated(code: number): string | undefined {
  return LOOKALIKES.get(String.fromCharCode(code));
}

const SHORT = 13;

const PLAIN = /^[ -@[-~]*$/;

const ASCII = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code).toLowerCase());

const known = new Map<number, string>();

const SPECIAL = new Map([
  ["ł", "l"],
  ["đ", "d"],
  ["ı", "i"],
  ["ø", "o"],
  ["ß", "ss"],
  ["’", "'"],
  ["‘", "'"],
  ["ʼ", "'"],
  ["أ", "ا"],
  ["إ", "ا"],
  ["آ", "ا"],
  ["ى", "ي"],
  ["ة", "ه"],
  ["ـ", ""],
]);

const MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670\u093c]/g;

function foldUnknown(codePoint: number): string {
  const character = String.fromCodePoint(codePoint).toLowerCase();
  const plain = character.normalize("NFKD").replace(MARKS, "").normalize("NFC");
  const special = SPECIAL.get(character) ?? SPECIAL.get(plain) ?? SMALL_CAPITALS.get(character);
  return special ?? plain.toLowerCase();
}

const pairs = (letters: string, originals: string): Map<string, string> =>
  new Map(Array.from(letters, (letter, index) => [letter, originals[index] ?? letter]));

const LOOKALIKES = pairs("аеорсухіѕјһԁԛԝвнкмтгпиαορνικτυηωε", "aeopcyxisjhdqwbhkmtrnuaopviktunwe");

const SMALL_CAPITALS = pairs("ɪɢɴʀʏᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢʟʙʜ", "ignryacdejkmoptuvwzlbh");

/** True for characters that are not visible on screen. Text written with them is meant for a machine. */
export function invisible(codePoint: number): boolean {
  if (codePoint < 0xad) return codePoint === 0;
  if (codePoint < 0x2000) return SCATTERED.has(codePoint);
  if (codePoint < 0x3000) return zeroWidth(codePoint) || direction(codePoint) || codePoint === 0x2800;
  return variation(codePoint) || codePoint === 0xfeff || SCATTERED.has(codePoint) || tag(codePoint);
}

/**
 * Invisible characters that can occur between two letters, as a character class. Excludes direction marks, tags and
 * variation selectors, which are handled separately.
 */
export const JOINERS =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u2800\\u3164\\ufeff\\uffa0";

// Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer and Mongolian signs without a glyph.
const SCATTERED = new Set([
  0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180e, 0x180f, 0x3164, 0xffa0,
]);

/** A tag character; U+E0020 to U+E007E spell ASCII. */
const tag = (codePoint: number): boolean => codePoint >= 0xe0000 && codePoint < 0xe0080;

/** A variation selector; 256 of them can spell a byte. */
const variation = (codePoint: number): boolean =>
  (codePoint >= 0xfe00 && codePoint < 0xfe10) || (codePoint >= 0xe0100 && codePoint < 0xe01f0);

/** Zero-width joiners, spaces and operators. */
const zeroWidth = (codePoint: number): boolean =>
  (codePoint >= 0x200b && codePoint <= 0x200d) || (codePoint >= 0x2060 && codePoint <= 0x2065);

/** Direction marks, embeddings, overrides and isolates. */
const direction = (codePoint: number): boolean =>
  codePoint === 0x200e ||
  codePoint === 0x200f ||
  (codePoint >= 0x202a && codePoint <= 0x202e) ||
  (codePoint >= 0x2066 && codePoint <= 0x206f);

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
