const [LINE, CHARACTER, MARGIN] = [19, 8.43, 18];

const COLOURS = ["#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#d6dde4"];
const PLAIN = "#d6dde4";

export interface DrawnSpan {
  readonly text: string;
  readonly colour?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isItalic?: boolean;
}

/** A terminal with these lines as an SVG. */
export function drawTerminal(lines: readonly (readonly DrawnSpan[])[]): string {
  const length = (line: readonly DrawnSpan[]) => line.reduce((sum, { text }) => sum + text.length, 0);
  const width = Math.max(...lines.map(length)) * CHARACTER + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.flatMap((line, row) => drawnLine(line, MARGIN + (row + 0.75) * LINE));
  const style = 'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14"';
  const frame = `<rect width="100%" height="100%" rx="10" fill="#161b22"/>`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${height}" ${style}>`;
  return `${open}\n${frame}\n${texts.join("\n")}\n</svg>\n`;
}

function drawnLine(line: readonly DrawnSpan[], y: number): readonly string[] {
  let column = 0;
  return line.flatMap(({ text, colour = PLAIN, isBold, isDim, isItalic }) => {
    const x = Math.round((MARGIN + column * CHARACTER) * 100) / 100;
    column += text.length;
    if (text.trim() === "") return [];
    const more = [
      ...(isBold === true ? ['font-weight="bold"'] : []),
      ...(isItalic === true ? ['font-style="italic"'] : []),
      ...(isDim === true ? ['opacity="0.6"'] : []),
    ];
    const attributes = [`x="${x}" y="${y}" fill="${colour}"`, ...more, 'xml:space="preserve"'].join(" ");
    return [`<text ${attributes}>${escaped(text)}</text>`];
  });
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** What `tmux capture-pane -e` gives: text with the codes of the sixteen colours. */
export function readColours(screen: string): readonly (readonly DrawnSpan[])[] {
  let codes: DrawnSpan = { text: "" };
  return screen.split("\n").map((line) =>
    // oxlint-disable-next-line no-control-regex -- control sequences
    line.split(/\u001b\[([\d;]*)m/).flatMap((part, index) => {
      if (index % 2 === 0) return part === "" ? [] : [{ ...codes, text: part }];
      for (const code of part.split(";").map(Number)) codes = withCode(codes, code);
      return [];
    }),
  );
}

function withCode(span: DrawnSpan, code: number): DrawnSpan {
  const { colour: _, ...uncoloured } = span;
  if (code === 0) return { text: "" };
  if (code === 1) return { ...span, isBold: true };
  if (code === 2) return { ...span, isDim: true };
  if (code === 3) return { ...span, isItalic: true };
  if (code === 22) return { ...span, isBold: false, isDim: false };
  if (code === 23) return { ...span, isItalic: false };
  const colour = COLOURS[code - 30];
  return colour !== undefined ? { ...span, colour } : code === 39 ? uncoloured : span;
}
