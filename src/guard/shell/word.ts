/** Stands in a word for a piece that is only known when the shell runs. It cannot stand in a command that is judged. */
export const UNKNOWN = "\u0000";

/** One word of an argv after expansion, as far as it is known beforehand. */
export interface Word {
  readonly text: string;
  /** It holds active wildcards. */
  readonly glob: boolean;
  /** They match a leading dot and run across folders, as git's and find's do. */
  readonly dots?: boolean;
}

export function word(text: string): Word {
  return { text, glob: false };
}

export function isKnown(value: Word): boolean {
  return !value.text.includes(UNKNOWN) && !value.glob;
}

/** The text of words for a person: unknown pieces show as `…`. */
export function show(words: readonly Word[]): string {
  return words.map(({ text, glob }) => shown(text.replaceAll(UNKNOWN, "…"), glob)).join(" ");
}

function shown(text: string, glob: boolean): string {
  return text !== "" && (glob || /^[\w@%+=:,./…~^{}*?[\]-]+$/u.test(text))
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}
