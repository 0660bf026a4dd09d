import { foldText } from "./characters.ts";
import { conceptNumber } from "./grammar.ts";
import { WORDS } from "./words.ts";

/** Reports every word and phrase of the table in `text`, which must be in comparison form, in order of `start`. */
export function findWords(text: string, onWord: (concept: number, start: number, end: number) => void): void {
  let inWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = wordCharacter(code);
    const begins = letter && !inWord;
    inWord = letter;
    // In scripts that don't separate words or attach particles to them, a phrase can begin anywhere.
    if (!begins && !(letter && unspaced(code))) continue;
    const next = text.charCodeAt(at + 1);
    const third = wordCharacter(next) ? text.charCodeAt(at + 2) : Number.NaN;
    for (const phrase of phrases().get(code * WIDE + next) ?? []) {
      if (phrase.third !== third && wordCharacter(phrase.third)) continue;
      const end = matchPhrase(text, at, phrase);
      if (end > 0) for (const concept of phrase.concepts) onWord(concept, at, end);
    }
    for (const phrase of phrases().get(code * WIDE) ?? [])
      for (const concept of phrase.concepts) onWord(concept, at, at + 1);
  }
}

/** Whether the table has exactly this word, in comparison form. */
export function isKnownWord(word: string): boolean {
  return (
    phrases()
      .get(keyOf(word))
      ?.some((phrase) => phrase.text === word) ?? false
  );
}

interface Phrase {
  readonly text: string;
  /** True if longer words also match. */
  readonly open: boolean;
  readonly third: number;
  readonly concepts: number[];
}

const WIDE = 1 << 16;
const keyOf = (text: string): number => text.charCodeAt(0) * WIDE + (text.charCodeAt(1) || 0);

let table: Map<number, Phrase[]> | undefined;

function phrases(): ReadonlyMap<number, readonly Phrase[]> {
  return (table ??= readWords());
}

/** What separates words: a comma, a line break, a colon; and the code of a language, which is there for the reader. */
const BETWEEN = /(?:,\s*|: |\s{2,})(?:[a-z]{2}: )?/;

function readWords(): Map<number, Phrase[]> {
  const read = new Map<number, Phrase[]>();
  for (const block of WORDS.trim().split(/\n(?=\w)/)) {
    const [concept = "", ...words] = block.split(BETWEEN);
    for (const word of words) if (word !== "") addPhrase(read, word, conceptNumber(concept));
  }
  return read;
}

function addPhrase(read: Map<number, Phrase[]>, entry: string, concept: number): void {
  const text = foldText(entry.replace(/\*$/, ""));
  const open = entry.endsWith("*") || text.charCodeAt(0) > LAST_SPACED;
  const bucket = read.get(keyOf(text)) ?? [];
  const known = bucket.find((phrase) => phrase.text === text && phrase.open === open);
  if (known) known.concepts.push(concept);
  else bucket.push({ text, open, third: text.charCodeAt(2), concepts: [concept] });
  read.set(keyOf(text), bucket);
}

// Beyond Latin, Greek and Cyrillic, endings are attached to words, and a word list cannot contain them all.
const LAST_SPACED = 0x58f;

/** The end of the phrase if it occurs at `at`, else 0. */
function matchPhrase(text: string, at: number, phrase: Phrase): number {
  const wanted = phrase.text;
  let position = at;
  for (let index = 0; index < wanted.length; index++) {
    const code = wanted.charCodeAt(index);
    if (code === 0x20) {
      const next = skipGap(text, position);
      if (next === position && !unspaced(wanted.charCodeAt(index - 1))) return 0;
      position = next;
    } else if (text.charCodeAt(position) === code) position++;
    // A stem inside a phrase ("системн* промпт*") matches the rest of its word.
    else if (code === 0x2a) position = endOfWord(text, position);
    else return 0;
  }
  if (!phrase.open) return wordCharacter(text.charCodeAt(position)) ? 0 : position;
  return wanted.charCodeAt(0) > LAST_SPACED ? position : endOfWord(text, position);
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (wordCharacter(text.charCodeAt(at))) at++;
  return at;
}

const MAX_GAP = 24;

/** Skips blanks, hyphens and underscores, and the line breaks and comment leaders of a wrapped comment. */
function skipGap(text: string, from: number): number {
  let at = from;
  while (at < from + MAX_GAP && GAP.has(text.charCodeAt(at))) at++;
  return at;
}

const GAP = new Set(Array.from(" \n\t\r-_\u3000", (character) => character.charCodeAt(0)));

/** Letters, digits and combining marks of the scripts in the table. An underscore separates words. */
function wordCharacter(code: number): boolean {
  if (code < 0x80) return (code > 0x60 && code < 0x7b) || (code > 0x2f && code < 0x3a);
  return code > 0xbf && (code < 0x2000 || code > 0x3030) && !(code > 0xfeff && code < 0xff0f) && code !== 0x964;
}

/** Hebrew, Arabic, Thai, kana, ideographs and Hangul. */
const unspaced = (code: number): boolean =>
  (code >= 0x590 && code < 0x700) || (code >= 0xe00 && code < 0xe80) || (code >= 0x3040 && code < 0xd7b0);
