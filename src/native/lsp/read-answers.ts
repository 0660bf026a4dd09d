import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod";
import type { CodePlace, CodeSymbol } from "../../contract/language-servers.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { printable, shortLine } from "../../lib/text/printable.ts";

const Count = z.int().min(0).max(100_000_000);

export const Range = z.object({ start: z.object({ line: Count, character: Count }) });

const Address = z.string().min(1).max(10_000);

const Location = z.object({ uri: Address, range: Range });

const Link = z.object({ targetUri: Address, targetSelectionRange: Range });

const MAX_PLACES = 2000;

/** The places in the answer to a question for definitions or references, in order and each once. */
export function readPlaces(result: unknown): {
  readonly places: readonly CodePlace[];
  readonly notes: readonly string[];
} {
  const items: readonly unknown[] = Array.isArray(result) ? result : result === null ? [] : [result];
  const places = new Map<string, CodePlace>();
  for (const item of items.slice(0, MAX_PLACES)) {
    const place = readPlace(item);
    if (place !== undefined) places.set(`${place.path}:${place.line}:${place.column}`, place);
  }
  const sorted = [...places.values()].toSorted(
    (one, other) => compare(one.path, other.path) || one.line - other.line || one.column - other.column,
  );
  const left = items.length - MAX_PLACES;
  return { places: sorted, notes: left > 0 ? [`${left} more places were left out`] : [] };
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

function readPlace(item: unknown): CodePlace | undefined {
  const link = Link.safeParse(item).data;
  const location = Location.safeParse(item).data;
  const address = link?.targetUri ?? location?.uri;
  const start = (link?.targetSelectionRange ?? location?.range)?.start;
  if (address === undefined || start === undefined) return undefined;
  const path = addressedPath(address);
  const position = { line: start.line, column: start.character };
  return { path: path ?? shortLine(address, 300), isFile: path !== undefined, ...position };
}

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

const MAX_TEXT = 8000;

/** What a server says about a symbol, as text. */
export function readHover(result: unknown): string {
  const contents = isRecord(result) ? result["contents"] : undefined;
  const parts: readonly unknown[] = Array.isArray(contents) ? contents.slice(0, 50) : [contents];
  const text = parts
    .map(textOf)
    .filter((part) => part !== "")
    .join("\n\n");
  const shown = printable(text.slice(0, MAX_TEXT)).trim();
  return text.length > MAX_TEXT ? `${shown}\n[… ${text.length - MAX_TEXT} more characters]` : shown;
}

function textOf(part: unknown): string {
  if (typeof part === "string") return part;
  const value = isRecord(part) ? part["value"] : undefined;
  return typeof value === "string" ? value : "";
}

/** The address of a file in the protocol. */
export const fileAddress = (path: string): string => pathToFileURL(path).href;

/** The path that an address names; undefined if it is not one of a file on this machine. Servers escape differently. */
export function addressedPath(address: string): string | undefined {
  try {
    const url = new URL(address);
    const path = url.protocol === "file:" && url.hostname === "" ? fileURLToPath(url) : undefined;
    return path?.includes("\0") === true ? undefined : path;
  } catch {
    return undefined;
  }
}

/** The ending of a file name, such as `.ts`; empty if there is none. */
export const endingOf = (path: string): string => /\.[^./]+$/.exec(path)?.[0] ?? "";
