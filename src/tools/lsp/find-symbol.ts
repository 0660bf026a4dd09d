import type { CodePosition } from "../../contract/language-servers.ts";

interface Wanted {
  readonly symbol: string;
  /** From 1, as `read` shows it. Undefined for the first line that has the symbol. */
  readonly line: number | undefined;
}

interface FoundSymbol {
  readonly position: CodePosition;
  /** What was not as asked. */
  readonly note?: string;
}

/** Models are often a few lines off after an edit. */
const NEAR = 5;
const MAX_LISTED = 10;

/**
 * Where a symbol is in a text: on the line, or on the nearest one if that is close. Of a name with dots the last part
 * is meant. Throws an error that says where the symbol is instead.
 */
export function findSymbol(text: string, { symbol, line }: Wanted): FoundSymbol {
  const lines = text.split(/\r?\n/);
  const columns = lines.map((each) => columnOf(each, symbol));
  const all = columns.flatMap((column, index) => (column === -1 ? [] : [{ line: index, column }]));
  const [first] = all;
  if (first === undefined) throw new Error(`the text "${symbol}" does not occur in this file`);
  if (line === undefined) return { position: first };
  const distance = (position: CodePosition) => Math.abs(position.line - (line - 1));
  const nearest = all.reduce((best, each) => (distance(each) < distance(best) ? each : best), first);
  if (distance(nearest) === 0) return { position: nearest };
  const shown = all.slice(0, MAX_LISTED).map((each) => each.line + 1);
  if (distance(nearest) > NEAR)
    throw new Error(
      `"${symbol}" is not on line ${line}; it is on ${shown.join(", ")}${all.length > MAX_LISTED ? ", …" : ""}`,
    );
  return {
    position: nearest,
    note: `"${symbol}" is not on line ${line}; this is about the one on line ${nearest.line + 1}`,
  };
}

/** The column of the last part of a symbol, where the symbol stands by itself and is not part of a longer word. */
function columnOf(line: string, symbol: string): number {
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
  for (let at = line.indexOf(symbol); at !== -1; at = line.indexOf(symbol, at + 1)) {
    const [before, after] = [line[at - 1], line[at + symbol.length]];
    const startsWord = !isWord(symbol[0]) || !isWord(before);
    const endsWord = !isWord(symbol.at(-1)) || !isWord(after);
    if (startsWord && endsWord) return at + lastPart(symbol);
  }
  return -1;
}

const lastPart = (symbol: string) => Math.max(symbol.lastIndexOf("."), symbol.lastIndexOf(":")) + 1;
