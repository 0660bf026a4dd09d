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
