import type { Lexicon } from "./concept.ts";
import { RUSSIAN, UKRAINIAN } from "./lexicon-cyrillic.ts";
import { CHINESE, JAPANESE, KOREAN, THAI } from "./lexicon-eastern.ts";
import { ENGLISH } from "./lexicon-english.ts";
import { DUTCH, GERMAN } from "./lexicon-germanic.ts";
import { INDONESIAN, POLISH, TURKISH, VIETNAMESE } from "./lexicon-latin.ts";
import { FRENCH, ITALIAN, PORTUGUESE, SPANISH } from "./lexicon-romance.ts";
import { ARABIC, HEBREW, HINDI } from "./lexicon-southern.ts";

/**
 * Every language at once: hostile texts mix them, and a text does not say which it is in. A word that an earlier
 * language has for the same concept is not repeated in a later one.
 */
export const LEXICONS: readonly Lexicon[] = [
  ENGLISH,
  GERMAN,
  DUTCH,
  SPANISH,
  FRENCH,
  ITALIAN,
  PORTUGUESE,
  POLISH,
  TURKISH,
  INDONESIAN,
  VIETNAMESE,
  RUSSIAN,
  UKRAINIAN,
  CHINESE,
  JAPANESE,
  KOREAN,
  THAI,
  ARABIC,
  HEBREW,
  HINDI,
];
