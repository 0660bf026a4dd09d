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
