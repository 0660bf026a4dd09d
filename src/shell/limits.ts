/** Longer scripts are not proven, but still searched for what is denied. */
export const MAX_LENGTH = 64 * 1024;
export const MAX_COMMANDS = 200;
export const MAX_WORDS = 2000;
export const MAX_PATHS = 500;
/** Text that one judgement may parse in all, shells inside shells included. */
export const MAX_PARSED = 160 * 1024;
/** A value that grows longer is taken as unknown. */
export const MAX_VALUE = 32 * 1024;

/** Beyond these nothing is looked at any more, so the answer is a denial. */
export const HOPELESS_COMMANDS = 1000;
export const HOPELESS_DEPTH = 32;
const HOPELESS_LENGTH = 128 * 1024;
const HOPELESS_NESTING = 60;
const HOPELESS_COUNTS: readonly (readonly [string, number])[] = [
  [";|&", 4000],
  ["$", 4000],
  ["*?[", 8000],
  ["`", 400],
  ["<", 4000],
  ["{,", 12_000],
  ["'", 16_000],
  ['"', 16_000],
];

/** True for text so long, deep or dense that parsing it would cost too much. Counted without regard to quotes. */
export function isHopeless(source: string): boolean {
  if (source.length > HOPELESS_LENGTH) return true;
  if (source.length < 400) return false;
  const counts = new Uint32Array(128);
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code > 127) continue;
    counts[code] = (counts[code] ?? 0) + 1;
    if (code === OPEN || code === OPEN_BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE || code === CLOSE_BRACE) depth = Math.max(0, depth - 1);
  }
  const count = (characters: string) =>
    characters.split("").reduce((sum, character) => sum + (counts[character.charCodeAt(0)] ?? 0), 0);
  return deepest > HOPELESS_NESTING || HOPELESS_COUNTS.some(([characters, most]) => count(characters) > most);
}

const [OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE] = [40, 41, 123, 125];
