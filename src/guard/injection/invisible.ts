/** Characters that take no room on the screen: what is written with them is written for a machine. */
export function invisible(codePoint: number): boolean {
  if (codePoint < 0xad) return false;
  if (codePoint < 0x2000)
    return codePoint === 0xad || codePoint === 0x61c || codePoint === 0x180e || codePoint === 0x34f;
  if (codePoint < 0x3000) return zeroWidth(codePoint) || direction(codePoint);
  return variation(codePoint) || codePoint === 0xfeff || codePoint === 0x3164 || tag(codePoint);
}

/** A tag character; U+E0020 to U+E007E spell ASCII. */
const tag = (codePoint: number): boolean => codePoint >= 0xe0000 && codePoint < 0xe0080;

/** A variation selector; 256 of them can spell a byte. */
const variation = (codePoint: number): boolean =>
  (codePoint >= 0xfe00 && codePoint < 0xfe10) || (codePoint >= 0xe0100 && codePoint < 0xe01f0);

/** Joiners, spaces and operators of no width. */
const zeroWidth = (codePoint: number): boolean =>
  (codePoint >= 0x200b && codePoint <= 0x200d) || (codePoint >= 0x2060 && codePoint <= 0x2064);

/** Marks, embeddings, overrides and isolates of writing direction. */
const direction = (codePoint: number): boolean =>
  codePoint === 0x200e ||
  codePoint === 0x200f ||
  (codePoint >= 0x202a && codePoint <= 0x202e) ||
  (codePoint >= 0x2066 && codePoint <= 0x206f);
