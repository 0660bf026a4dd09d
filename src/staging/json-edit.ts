import { isDeepStrictEqual } from "node:util";
import { createScanner, getNodeValue, type Node, parseTree, printParseErrorCode } from "jsonc-parser";
import { parseJson } from "../lib/json/parse-json.ts";

/**
 * Adds a value to a JSON text by insertion only, so that existing comments, order, and layout are preserved. Undefined
 * if the value is already there. Throws `Unfit` if something else is in its place.
 */
export function insertEntry(text: string, entry: Entry): Inserted | undefined {
  const root = rootObject(text);
  const { node, depth } = deepest(root, entry.at);
  const keys = [...entry.at, ...(entry.key === undefined ? [] : [entry.key])];
  if (depth < entry.at.length) {
    const inner = entry.key === undefined ? [entry.value] : entry.value;
    const value = keys.slice(depth + 1).reduceRight<unknown>((below, key) => ({ [key]: below }), inner);
    return addChild(text, node, { key: keys[depth], value }, depth);
  }
  if (entry.key === undefined) return addElement(text, node, entry);
  if (node.type !== "object") throw new Unfit(`its ${entry.at.join(".")} is not an object`);
  const there = deepest(node, [entry.key]);
  if (there.depth === 0) return addChild(text, node, { key: entry.key, value: entry.value }, depth);
  if (isDeepStrictEqual(valueOf(there.node), entry.value)) return undefined;
  throw new Unfit(`its ${keys.join(".")} is not ours`);
}

function addElement(text: string, node: Node, { at, value }: Entry): Inserted | undefined {
  if (node.type !== "array") throw new Unfit(`its ${at.join(".")} is not an array`);
  return holds(node, value) ? undefined : addChild(text, node, { value }, at.length);
}

const holds = (array: Node, value: unknown) =>
  (array.children ?? []).some((child) => isDeepStrictEqual(valueOf(child), value));

/** True if the value is in its place. */
export function hasEntry(text: string, entry: Entry): boolean {
  const { node, depth } = deepest(rootObject(text), entry.at);
  if (depth < entry.at.length) return false;
  if (entry.key === undefined) return holds(node, entry.value);
  if (node.type !== "object") return false;
  const there = deepest(node, [entry.key]);
  return there.depth === 1 && isDeepStrictEqual(valueOf(there.node), entry.value);
}

function addChild(
  text: string,
  container: Node,
  child: { readonly key?: string | undefined; readonly value: unknown },
  made: number,
): Inserted {
  const inserted = (pieces: Inserted["pieces"]): Inserted => ({ ...withPieces(text, pieces), made });
  const label = child.key === undefined ? "" : `${JSON.stringify(child.key)}: `;
  const close = endOf(container) - 1;
  const last = container.children?.at(-1);
  const inside = text.slice(container.offset + 1, close);
  if (last !== undefined && !inside.includes("\n"))
    return inserted([{ offset: endOf(last), text: `, ${label}${JSON.stringify(child.value)}` }]);

  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, container.offset);
  const first = container.children?.[0];
  const indent = first === undefined ? outer + unitOf(text) : indentAt(text, first.offset);
  const pretty = JSON.stringify(child.value, null, unitOf(text)).replaceAll("\n", lineEnd + indent);
  const end = container.offset + 1 + inside.trimEnd().length;
  const tail = text.slice(end, close).includes("\n") ? "" : lineEnd + outer;
  const body = { offset: end, text: `${lineEnd}${indent}${label}${pretty}${tail}` };
  if (last === undefined || commaIn(text.slice(endOf(last), close)) !== undefined) return inserted([body]);
  if (endOf(last) === end) return inserted([{ offset: end, text: `,${body.text}` }]);
  return inserted([{ offset: endOf(last), text: "," }, body]);
}

/** Inserts the pieces. Their offsets become offsets in the new text. */
function withPieces(text: string, pieces: Inserted["pieces"]) {
  let result = "";
  let from = 0;
  const placed = pieces.map((piece) => {
    result += text.slice(from, piece.offset);
    const offset = result.length;
    result += piece.text;
    from = piece.offset;
    return { offset, text: piece.text };
  });
  return { text: result + text.slice(from), pieces: placed };
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

const unitOf = (text: string) => /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";

/**
 * Removes our value from a text that was edited since: the value itself, its comma, and those containers added with it
 * that are now empty. Undefined if the value is not there.
 */
export function removeEntry(text: string, entry: Entry, made: number): string | undefined {
  const { node, depth } = deepest(rootObject(text), entry.at);
  if (depth < entry.at.length) return undefined;
  const child = (node.children ?? []).find((candidate) => isEntry(candidate, entry));
  if (child === undefined) return undefined;
  let result = removeChild(text, node, child);
  for (let length = entry.at.length; length > made; length--) {
    const empty = deepest(rootObject(result), entry.at.slice(0, length)).node;
    if ((empty.children ?? []).length > 0 || holdsComment(result, empty) || empty.parent?.parent === undefined) break;
    result = removeChild(result, empty.parent.parent, empty.parent);
  }
  return result;
}

function isEntry(child: Node, { key, value }: Entry): boolean {
  if (key === undefined) return isDeepStrictEqual(valueOf(child), value);
  const inner = child.children?.[1];
  return child.type === "property" && keyOf(child) === key && inner !== undefined
    ? isDeepStrictEqual(valueOf(inner), value)
    : false;
}

function holdsComment(text: string, container: Node): boolean {
  return text.slice(container.offset + 1, endOf(container) - 1).trim() !== "";
}

function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const next = children[index + 1]?.offset ?? endOf(container) - 1;
  const previous = children[index - 1];
  const end = endOf(child);
  const after = commaIn(text.slice(end, next));
  const rest = after === undefined ? text.slice(end) : text.slice(end, end + after) + text.slice(end + after + 1);
  const from = blanksBefore(text, child.offset, rest);
  const before = previous === undefined ? undefined : commaIn(text.slice(endOf(previous), child.offset));
  if (after !== undefined || previous === undefined || before === undefined) return text.slice(0, from) + rest;
  const comma = endOf(previous) + before;
  return text.slice(0, comma) + text.slice(comma + 1, from) + rest;
}

/** Where the whitespace before a child begins. Includes the line feed if nothing else is on the line. */
function blanksBefore(text: string, offset: number, rest: string): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  if (text[at - 1] !== "\n") return at;
  if (!/^[ \t]*\r?\n/.test(rest)) return offset;
  return text[at - 2] === "\r" ? at - 2 : at - 1;
}

/** Where a value goes in a JSON file. */
interface Entry {
  readonly at: readonly string[];
  readonly key?: string | undefined;
  readonly value: unknown;
}

/** An inserted text and its offset in the result. */
interface Piece {
  readonly offset: number;
  readonly text: string;
}

/** A text after an insertion, and what to remove again. */
export interface Inserted {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** How many steps of the entry's path existed before. */
  readonly made: number;
}

/** Removes pieces at exactly their offsets. Undefined if one is missing. */
export function takePieces(text: string, pieces: readonly Piece[]): string | undefined {
  let result = text;
  for (const piece of pieces.toReversed()) {
    if (!result.startsWith(piece.text, piece.offset)) return undefined;
    result = result.slice(0, piece.offset) + result.slice(piece.offset + piece.text.length);
  }
  return result;
}

/** Our addition does not fit into the file's current text. */
export class Unfit extends Error {}

/** The root object of a JSON text that may contain comments. Throws `Unfit` with the location of the first error. */
export function rootObject(text: string): Node {
  const errors: { readonly error: number; readonly offset: number; readonly length: number }[] = [];
  // A byte order mark is not valid JSON, but some editors leave one.
  const root = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined)
    throw new Unfit(`it is not valid JSON (line ${lineOf(text, first.offset)}: ${printParseErrorCode(first.error)})`);
  if (root?.type !== "object") throw new Unfit("it is not a JSON object");
  return root;
}

const lineOf = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/**
 * The value of a property, or undefined. Throws on a duplicate key, because readers disagree about which one counts.
 */
function propertyOf(object: Node, key: string): Node | undefined {
  const found = (object.children ?? []).filter((property) => keyOf(property) === key);
  if (found.length > 1) throw new Unfit(`it has the key ${JSON.stringify(key)} twice`);
  return found[0]?.children?.[1];
}

function keyOf(property: Node): string {
  const value: unknown = property.children?.[0]?.value;
  return typeof value === "string" ? value : "";
}

/** How many steps of a path exist, and the container where they end. */
function deepest(root: Node, path: readonly string[]): { readonly node: Node; readonly depth: number } {
  let node = root;
  for (const [depth, step] of path.entries()) {
    if (node.type !== "object") throw new Unfit(`its ${path.slice(0, depth).join(".")} is not an object`);
    const next = propertyOf(node, step);
    if (next === undefined) return { node, depth };
    node = next;
  }
  return { node, depth: path.length };
}

/** The value of a node, as `JSON.parse` would return it. */
function valueOf(node: Node): unknown {
  const value: unknown = parseJson(JSON.stringify(getNodeValue(node)));
  return value;
}

const endOf = (node: Node) => node.offset + node.length;

const COMMA = 5;

const END = 17;

/** The offset of the first comma among whitespace and comments, or undefined. */
function commaIn(gap: string): number | undefined {
  const scanner = createScanner(gap, true);
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan())
    if (token === COMMA) return scanner.getTokenOffset();
  return undefined;
}
