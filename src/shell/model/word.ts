import { shQuote } from "../../lib/text/shell-words.ts";

/** Placeholder for a piece only known at run time. Cannot occur in a command that is judged. */
export const UNKNOWN = "\u0000";

/**
 * Placeholder for one or more characters from `0-9a-f`. A command that contains this character itself needs approval.
 */
export const DIGITS = "\u000e";

/** Marks where an unquoted value starts a new word. */
export const SPLIT = "\u000f";

/** Longer values are treated as unknown. */
export const MAX_VALUE = 32 * 1024;

/** One word of an argv after expansion, as far as it is known in advance. */
export interface Word {
  readonly text: string;
  /** It contains active wildcards. */
  readonly glob: boolean;
  /** Other values it may have. The command is judged with each of them too. */
  readonly others?: readonly string[];
  /** An unknown unquoted value, which may expand to no word or to several. */
  readonly open?: boolean;
  /** Wildcards match a leading dot and across folders, as in git and find. */
  readonly dots?: boolean;
  /** It stands for names that a program printed: files that git tracks, or all that are not hidden. */
  readonly lists?: "tracked" | "visible";
}

export function word(text: string): Word {
  return { text, glob: false };
}

export const UNKNOWN_WORD: Word = word(UNKNOWN);

export function isKnown(value: Word): boolean {
  return !value.glob && !isVariable(value.text);
}

/** True if part of the text is only known at run time. */
export function isVariable(text: string): boolean {
  return text.includes(UNKNOWN) || text.includes(DIGITS);
}

/** Splits a text at its SPLIT marks. Empty parts are not words. */
export function splitText(text: string): readonly string[] {
  return text.includes(SPLIT) ? text.split(SPLIT).filter((part) => part !== "") : [text];
}

/**
 * Joins words into one line for matching. Empty if a word is empty or contains a blank, since the line would be
 * ambiguous.
 */
export function plainLine(texts: readonly string[]): string {
  return texts.some((text) => text === "" || /\s/.test(text)) ? "" : texts.join(" ");
}

/** Words as text for display, with unknown pieces as `…`. */
export function show(words: readonly Word[]): string {
  return words.map(({ text, glob }) => shown(text.replaceAll(/[\u0000\u000e]/g, "…"), glob)).join(" ");
}

function shown(text: string, glob: boolean): string {
  return text !== "" && (glob || /^[\w@%+=:,./…~^{}*?[\]-]+$/u.test(text)) ? text : shQuote(text);
}
