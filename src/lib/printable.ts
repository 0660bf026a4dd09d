/**
 * Text that is safe to print on a terminal: control and invisible characters become visible escapes, line feeds stay.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same on one line, for a name that somebody else chose: it cannot look like a line of ours. */
export const printableLine = (text: string): string => printable(text).replaceAll("\n", "\\n");

// Controls except tab and line feed; bidi, zero-width and tag characters; lone surrogates.
const UNSAFE =
  /(?![\t\n])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;
