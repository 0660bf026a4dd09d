import * as z from "zod";
import type { CodeSymbol } from "../../contract/language-servers.ts";
import { shortLine } from "../../lib/short-line.ts";
import { Range } from "./read-places.ts";

const DocumentSymbol = z.object({
  name: z.string().max(100_000),
  kind: z.int().catch(0),
  selectionRange: Range.optional(),
  location: z.object({ range: Range }).optional(),
  children: z.array(z.unknown()).optional().catch(undefined),
});

/** The names of the protocol's numbers, from 1. */
const KINDS =
  "file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter".split(
    " ",
  );

const MAX_SYMBOLS = 500;
const MAX_DEPTH = 20;

/** The symbols of a file, those inside others behind them. */
export function readSymbols(result: unknown): {
  readonly symbols: readonly CodeSymbol[];
  readonly notes: readonly string[];
} {
  const symbols: CodeSymbol[] = [];
  const isComplete = add(Array.isArray(result) ? result : [], 0, symbols);
  return { symbols, notes: isComplete ? [] : [`only the first ${MAX_SYMBOLS} symbols are shown`] };
}

function add(items: readonly unknown[], depth: number, symbols: CodeSymbol[]): boolean {
  if (depth > MAX_DEPTH) return true;
  return items.every((item) => {
    const { data } = DocumentSymbol.safeParse(item);
    const range = data?.selectionRange ?? data?.location?.range;
    if (data === undefined || range === undefined) return true;
    if (symbols.length === MAX_SYMBOLS) return false;
    const kind = KINDS[data.kind - 1] ?? "symbol";
    symbols.push({ name: shortLine(data.name, 200), kind, line: range.start.line, depth });
    return add(data.children ?? [], depth + 1, symbols);
  });
}
