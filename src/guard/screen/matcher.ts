import { brotliDecompressSync } from "node:zlib";
import { foldText } from "./characters.ts";
import { CONCEPTS } from "./concept.ts";
import { PACKED } from "./packed-lexicon.ts";

/** Called for every phrase found, in order of `start`. */
type OnConcept = (concept: number, start: number, end: number) => void;

/** The number that identifies a concept in events. */
export function conceptNumber(name: string): number {
  const number = NUMBERS.get(name);
  if (number === undefined) throw new Error(`unknown concept ${name}`);
  return number;
}

/** Reports every phrase of every lexicon in `text`, which must be in comparison form. */
export function matchConcepts(text: string, onConcept: OnConcept): void {
  const table = phrases(OTHER_SCRIPTS.test(text));
  const tryPhrases = (bucket: readonly Phrase[] | undefined, at: number) => {
    if (bucket === undefined) return;
    for (const phrase of bucket) {
      // Short phrases differ most often in their last letter, so checking it first saves most comparisons.
      if (phrase.plain && text.charCodeAt(at + phrase.text.length - 1) !== phrase.last) continue;
      const end = matchPhrase(text, at, phrase);
      if (end > 0) for (const concept of phrase.concepts) onConcept(concept, at, end);
    }
  };
  let inWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = wordCharacter(code);
    const begins = letter && !inWord;
    inWord = letter;
    // In scripts that don't separate words or attach particles to them, a phrase can begin anywhere.
    if (!begins && !(letter && unspaced(code))) continue;
    const second = text.charCodeAt(at + 1);
    tryPhrases(table[hash(code, second, 0)], at);
    tryPhrases(table[hash(code, second, text.charCodeAt(at + 2))], at);
  }
}

/** Whether a lexicon contains exactly this word, in comparison form. */
export function isConceptWord(word: string): boolean {
  return phrases(false)[bucketOf(word)]?.some((phrase) => phrase.text === word) ?? false;
}

type Table = (Phrase[] | undefined)[];

interface Phrase {
  readonly text: string;
  /** True if longer words also match. */
  readonly open: boolean;
  /** One word without an inner stem, so that the position of its last letter is known. */
  readonly plain: boolean;
  readonly last: number;
  readonly concepts: number[];
}

const NUMBERS: ReadonlyMap<string, number> = new Map(CONCEPTS.map((name, index) => [name, index]));

const BUCKETS = 1 << 13;

const OTHER_SCRIPTS = /[\u0400-\uffff]/;

const LATIN = new Set("en de nl es fr it pt pl tr id vi".split(" "));

let words: ReadonlyMap<string, readonly string[]> | undefined;

let latin: Table | undefined;

let complete: Table | undefined;

const hash = (first: number, second: number, third: number): number =>
  (first * 1021 + second * 131 + third * 17) & (BUCKETS - 1);

/** By the first three letters, or two if a gap follows them, since a gap can be written in many ways. */
function bucketOf(text: string): number {
  const third = text.charCodeAt(2);
  return hash(text.charCodeAt(0), text.charCodeAt(1), wordCharacter(third) ? third : 0);
}

/**
 * The phrase table to use. Most texts need only Latin words, and a hook that lives for one call should not load more.
 */
function phrases(everyScript: boolean): Table {
  if (!everyScript) return (latin ??= readLexicon((language) => LATIN.has(language)));
  return (complete ??= readLexicon(() => true));
}

function readLexicon(wanted: (language: string) => boolean): Table {
  // Filled up front: an array with holes would become a slow dictionary.
  const table: Table = Array.from({ length: BUCKETS }, () => undefined);
  for (const [concept, lines] of (words ??= unpackLexicon())) {
    const number = conceptNumber(concept);
    for (const line of lines) {
      if (!wanted(line.slice(0, LANGUAGE_CODE - 1))) continue;
      for (const entry of line.slice(LANGUAGE_CODE).split(",")) {
        for (const phrase of spellOut(entry)) addPhrase(table, phrase, number);
      }
    }
  }
  return table;
}

const LANGUAGE_CODE = 3;

/** `is/are already done` means two phrases. */
function spellOut(entry: string): string[] {
  if (!entry.includes("/")) return [entry];
  return entry
    .split(" ")
    .map((word) => word.split("/"))
    .reduce((phrases, words) => phrases.flatMap((phrase) => words.map((word) => `${phrase} ${word}`)), [""])
    .map((phrase) => phrase.slice(1));
}

function addPhrase(table: Table, entry: string, concept: number): void {
  const open = entry.endsWith("*");
  const text = foldText(open ? entry.slice(0, -1) : entry);
  const stem = open || text.charCodeAt(0) > LAST_SPACED;
  const bucket = (table[bucketOf(text)] ??= []);
  const known = bucket.find((phrase) => phrase.text === text && phrase.open === stem);
  if (!known) {
    bucket.push({
      text,
      open: stem,
      plain: !/[ *]/.test(text),
      last: text.charCodeAt(text.length - 1),
      concepts: [concept],
    });
  } else if (!known.concepts.includes(concept)) known.concepts.push(concept);
}

// Beyond Latin, Greek and Cyrillic, endings are attached to words, and a word list cannot contain them all.
const LAST_SPACED = 0x58f;

/** The end of the phrase if it occurs at `at`, else 0. */
function matchPhrase(text: string, at: number, phrase: Phrase): number {
  const wanted = phrase.text;
  let position = at;
  for (let index = 0; index < wanted.length; index++) {
    const code = wanted.charCodeAt(index);
    if (code !== 0x20) {
      if (text.charCodeAt(position) !== code) {
        // A stem inside a phrase ("системн* промпт*") matches the rest of its word.
        if (code !== 0x2a) return 0;
        while (wordCharacter(text.charCodeAt(position))) position++;
        continue;
      }
      position++;
      continue;
    }
    const next = skipGap(text, position);
    if (next === position && !unspaced(wanted.charCodeAt(index - 1))) return 0;
    position = next;
  }
  if (!phrase.open) return wordCharacter(text.charCodeAt(position)) ? 0 : position;
  if (wanted.charCodeAt(0) > LAST_SPACED) return position;
  while (wordCharacter(text.charCodeAt(position))) position++;
  return position;
}

const MAX_GAP = 24;

/** Skips blanks, hyphens and underscores, and the line breaks and comment leaders of a wrapped comment. */
function skipGap(text: string, from: number): number {
  let at = from;
  while (at < from + MAX_GAP && gapCharacter(text.charCodeAt(at))) at++;
  return at;
}

const gapCharacter = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x2d || code === 0x5f || code === 0x3000;

/** Letters, digits and combining marks of the lexicons' scripts. An underscore separates words. */
function wordCharacter(code: number): boolean {
  if (code < 0x80) return (code > 0x60 && code < 0x7b) || (code > 0x2f && code < 0x3a);
  return code > 0xbf && (code < 0x2000 || code > 0x3030) && !(code > 0xfeff && code < 0xff0f) && code !== 0x964;
}

/** Hebrew, Arabic, Thai, kana, ideographs and Hangul. */
const unspaced = (code: number): boolean =>
  (code >= 0x590 && code < 0x700) || (code >= 0xe00 && code < 0xe80) || (code >= 0x3040 && code < 0xd7b0);

/** The lines of words for each concept: a language code, a blank, the words. */
export function unpackLexicon(): ReadonlyMap<string, readonly string[]> {
  const text = brotliDecompressSync(Buffer.from(PACKED, "base64")).toString();
  return new Map(
    text.split("\n\n").map((block) => {
      const [concept = "", ...lines] = block.split("\n");
      return [concept, lines];
    }),
  );
}
