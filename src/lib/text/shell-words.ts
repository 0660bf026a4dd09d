const PIECE = /(\s+)|'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\([^])|([^\s'"\\]+)/gy;

/**
 * The words of a command line with quotes and backslashes, as a shell splits them when there is nothing to expand.
 * Undefined when a quote is not closed.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let read = 0;
  for (const [whole, blank, single, double, escaped, plain] of text.matchAll(PIECE)) {
    read += whole.length;
    if (blank === undefined) {
      word = `${word ?? ""}${single ?? double?.replaceAll(/\\(["\\$`\n])/g, "$1") ?? escaped ?? plain}`;
      continue;
    }
    if (word !== undefined) words.push(word);
    word = undefined;
  }
  if (read < text.length) return undefined;
  return word === undefined ? words : [...words, word];
}

/** The words of a list that is written as text. */
export const wordList = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Quotes any text as one word for a POSIX shell. */
export const shQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A word as it is usually written: quoted only where it has to be. */
export const shWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : shQuote(text));

/** How a shell parses a script: like bash, like POSIX sh, or unknown. */
type ShellDialect = "bash" | "sh" | "any";

const SHELLS: Readonly<Record<string, ShellDialect>> = {
  bash: "bash",
  rbash: "bash",
  sh: "sh",
  dash: "sh",
  ash: "sh",
  "busybox-sh": "sh",
  posh: "sh",
};

/** How the shell with this name parses a script. An unknown shell may parse it in any way. */
export const runningShell = (name: string): ShellDialect =>
  Object.hasOwn(SHELLS, name) ? (SHELLS[name] ?? "any") : "any";
