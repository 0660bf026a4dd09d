/**
 * Text that is safe to print on a terminal: control and invisible characters become visible escapes, line feeds stay.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same on one line, for a name that somebody else chose: it cannot look like a line of ours. */
export const printableLine = (text: string): string => printable(text).replaceAll("\n", "\\n");

// Controls except tab and line feed; bidi, zero-width and tag characters; lone surrogates.
const UNSAFE =
  /(?![\t\n])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Text as one printable line of at most `most` characters. */
export function shortLine(text: string, most: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** The first few of a list, and after them how many more there are, in words. */
export const firstFew = (
  items: readonly string[],
  most: number,
  inWords: (more: number) => string = (more) => `and ${more} more`,
): readonly string[] => (items.length <= most ? items : [...items.slice(0, most), inWords(items.length - most)]);

/** The same in one line: `a, b and 3 more`. */
export const namedFew = (items: readonly string[], most: number): string =>
  `${items.slice(0, most).join(", ")}${items.length > most ? ` and ${items.length - most} more` : ""}`;

/** An amount of money for people: `$0.006`, `$12.30`. Amounts from a tenth of a cent on are rounded to it. */
export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  if (amount < 0.000_001) return "under $0.000001";
  if (amount < 0.001) return `$${amount.toFixed(6).replace(/0+$/, "")}`;
  return `$${amount.toFixed(amount < 1 ? 3 : 2)}`;
}

/** A text between tags that name its source. The text cannot close the tag, and the source cannot leave its quotes. */
export function wrapText(tag: string, source: string, text: string): string {
  const tags = new RegExp(`<(/?\\s*${tag})`, "gi");
  return `<${tag} source="${attribute(source)}">\n${text.trim().replaceAll(tags, "&lt;$1")}\n</${tag}>`;
}

const attribute = (text: string) => printableLine(text).replaceAll(/["<>&]/g, "_");

/** A text as a code block of Markdown, whose fence nothing in the text can close. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
