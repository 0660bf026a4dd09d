import * as z from "zod";
import type { CodePlace } from "../../contract/language-servers.ts";
import { shortLine } from "../../lib/short-line.ts";
import { addressedPath } from "./file-address.ts";

const Count = z.int().min(0).max(100_000_000);
export const Range = z.object({ start: z.object({ line: Count, character: Count }) });
const Address = z.string().min(1).max(10_000);
const Location = z.object({ uri: Address, range: Range });
const Link = z.object({ targetUri: Address, targetSelectionRange: Range });

const MAX_PLACES = 2000;

interface ReadPlaces {
  readonly places: readonly CodePlace[];
  readonly notes: readonly string[];
}

/** The places in the answer to a question for definitions or references, in order and each once. */
export function readPlaces(result: unknown): ReadPlaces {
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
