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

/**
 * Invisible characters that can occur between two letters, as a character class: soft hyphen, grapheme joiner, Arabic
 * letter mark, fillers and signs without a glyph, zero-width spaces, joiners and operators. Excludes direction marks,
 * tags and variation selectors, which are handled separately.
 */
export const JOINERS =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u2800\\u3164\\ufeff\\uffa0";

/** Joiners, direction marks, variation selectors and tags (U+E0020 to U+E007E spell ASCII). */
const INVISIBLE = new RegExp(
  `^[\\0${JOINERS}\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u206f\\ufe00-\\ufe0f\\u{e0000}-\\u{e007f}\\u{e0100}-\\u{e01ef}]$`,
  "u",
);

/** True for characters that are not visible on screen. Text written with them is meant for a machine. */
export function invisible(codePoint: number): boolean {
  if (codePoint < 0xad) return codePoint === 0;
  return INVISIBLE.test(String.fromCodePoint(codePoint));
}

/** An encoded character. `counts` is false for everyday ones (`&amp;`, `\n`), which hide nothing. */
interface Escape {
  readonly text: string;
  readonly length: number;
  readonly counts: boolean;
}

const ESCAPE =
  /&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|&(amp|lt|gt|quot|apos|nbsp);|((?:%[0-9a-f]{2}){1,4096})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\([nrt"'])/iy;

const EVERYDAY = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", n: "\n", r: " ", t: " " }).concat([
    ['"', '"'],
    ["'", "'"],
  ]),
);

/**
 * The encoded character at `at`: an HTML entity, a run of percent codes, or a backslash escape. Undefined if there is
 * none.
 */
export function readEscape(text: string, at: number): Escape | undefined {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return undefined;
  const [{ length }, entity, decimal, name, percent, byte, unit, point, letter] = match;
  const everyday = EVERYDAY.get(name ?? letter ?? "");
  if (everyday !== undefined) return { text: everyday, length, counts: false };
  if (percent !== undefined)
    return { text: utf8.decode(Buffer.from(percent.replaceAll("%", ""), "hex")), length, counts: true };
  const hexadecimal = entity ?? byte ?? unit ?? point;
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code > 0 && code <= 0x10ffff ? { text: String.fromCodePoint(code), length, counts: true } : undefined;
}

const utf8 = new TextDecoder();
