import { createScanner, getNodeValue, type Node, parseTree, printParseErrorCode } from "jsonc-parser";
import { parseJson } from "../lib/parse-json.ts";

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

export function keyOf(property: Node): string {
  const value: unknown = property.children?.[0]?.value;
  return typeof value === "string" ? value : "";
}

/** How many steps of a path exist, and the container where they end. */
export function deepest(root: Node, path: readonly string[]): { readonly node: Node; readonly depth: number } {
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
export function valueOf(node: Node): unknown {
  const value: unknown = parseJson(JSON.stringify(getNodeValue(node)));
  return value;
}

export const endOf = (node: Node) => node.offset + node.length;

const COMMA = 5;
const END = 17;

/** The offset of the first comma among whitespace and comments, or undefined. */
export function commaIn(gap: string): number | undefined {
  const scanner = createScanner(gap, true);
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan())
    if (token === COMMA) return scanner.getTokenOffset();
  return undefined;
}
