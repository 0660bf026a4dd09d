/** How text is set off. With NO_COLOR there are no colours; bold and dim stay. */
export interface Style {
  readonly bold: TextPaint;
  readonly dim: TextPaint;
  readonly italic: TextPaint;
  readonly underline: TextPaint;
  readonly red: TextPaint;
  readonly green: TextPaint;
  readonly yellow: TextPaint;
  readonly blue: TextPaint;
  readonly magenta: TextPaint;
  readonly cyan: TextPaint;
}

export type TextPaint = (text: string) => string;

/** Starts and ends with codes that do not touch the others, so that paints can be nested. */
const paint =
  (on: number, off: number): TextPaint =>
  (text) =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`;

const plain: TextPaint = (text) => text;

/** The sixteen colours that a terminal's own theme decides, so that light and dark backgrounds both work. */
export function styleFor(environment: Readonly<Record<string, string | undefined>>): Style {
  const hasColour = (environment["NO_COLOR"] ?? "") === "";
  const colour = (on: number) => (hasColour ? paint(on, 39) : plain);
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    red: colour(31),
    green: colour(32),
    yellow: colour(33),
    blue: colour(34),
    magenta: colour(35),
    cyan: colour(36),
  };
}

/** False where the locale says that the terminal does not read UTF-8. Nothing said counts as UTF-8, as in containers. */
export function isUtf8Terminal(environment: Readonly<Record<string, string | undefined>>): boolean {
  const locale = ["LC_ALL", "LC_CTYPE", "LANG"].map((name) => environment[name] ?? "").find((value) => value !== "");
  return locale === undefined || /utf-?8/i.test(locale);
}

const ASCII: Readonly<Record<string, string>> = {
  "─": "-",
  "│": "|",
  "•": "*",
  "…": ".",
  "·": "-",
  "↑": "^",
  "↓": "v",
  "⏎": "/",
  "✓": "+",
  "✗": "x",
  "❯": ">",
};

/**
 * For a terminal that does not read UTF-8: no byte above 127, because it could be read as a control character. Columns
 * stay the same where characters are one column wide.
 */
export const asciiOnly = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- everything that is not ASCII
  text.replaceAll(/[^\u0000-\u007f]/gu, (character) => {
    if (ASCII[character] !== undefined) return ASCII[character];
    return /[\u2500-\u257f]/.test(character) ? "+" : "?";
  });
