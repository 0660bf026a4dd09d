import { shQuote } from "../../lib/sh-quote.ts";

/** Stands in a word for a piece that is only known when the shell runs. It cannot stand in a command that is judged. */
export const UNKNOWN = "\u0000";

/** Stands in a word for digits and the letters `a` to `f`, at least one. A command that holds this character is asked about. */
export const DIGITS = "\u000e";

/** Stands where an unquoted value makes the shell begin a new word. */
export const SPLIT = "\u000f";

/** A value that grows longer is taken as unknown. */
export const MAX_VALUE = 32 * 1024;

/** One word of an argv after expansion, as far as it is known beforehand. */
export interface Word {
  readonly text: string;
  /** It holds active wildcards. */
  readonly glob: boolean;
  /** Values that it may have instead; the command is judged with each of them too. */
  readonly others?: readonly string[];
  /** An unquoted value that is not known: the shell may make no word of it, or several. */
  readonly open?: boolean;
  /** They match a leading dot and run across folders, as git's and find's do. */
  readonly dots?: boolean;
}

export function word(text: string): Word {
  return { text, glob: false };
}

export const UNKNOWN_WORD: Word = word(UNKNOWN);

export function isKnown(value: Word): boolean {
  return !value.glob && !isVariable(value.text);
}

/** True when only the shell will know the whole text. */
export function isVariable(text: string): boolean {
  return text.includes(UNKNOWN) || text.includes(DIGITS);
}

/** The texts of a text with places to split it at. What is empty between two of them is no word. */
export function splitText(text: string): readonly string[] {
  return text.includes(SPLIT) ? text.split(SPLIT).filter((part) => part !== "") : [text];
}

/** Words as one line to match, where the line says which words they are: empty when one is empty or holds a blank. */
export function plainLine(texts: readonly string[]): string {
  return texts.some((text) => text === "" || /\s/.test(text)) ? "" : texts.join(" ");
}

/** The text of words for a person: unknown pieces show as `…`. */
export function show(words: readonly Word[]): string {
  return words.map(({ text, glob }) => shown(text.replaceAll(/[\u0000\u000e]/g, "…"), glob)).join(" ");
}

function shown(text: string, glob: boolean): string {
  return text !== "" && (glob || /^[\w@%+=:,./…~^{}*?[\]-]+$/u.test(text)) ? text : shQuote(text);
}
