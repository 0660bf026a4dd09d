import { isDeepStrictEqual } from "node:util";
import type { Node } from "jsonc-parser";
import { commaIn, deepest, endOf, rootObject, Unfit, valueOf } from "./json-tree.ts";
import type { Entry, Inserted } from "./inserted.ts";

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
    return { ...addChild(text, node, { key: keys[depth], value }), made: depth };
  }
  if (entry.key === undefined) return addElement(text, node, entry);
  if (node.type !== "object") throw new Unfit(`its ${entry.at.join(".")} is not an object`);
  const there = deepest(node, [entry.key]);
  if (there.depth === 0) return { ...addChild(text, node, { key: entry.key, value: entry.value }), made: depth };
  if (isDeepStrictEqual(valueOf(there.node), entry.value)) return undefined;
  throw new Unfit(`its ${keys.join(".")} is not ours`);
}

function addElement(text: string, node: Node, { at, value }: Entry): Inserted | undefined {
  if (node.type !== "array") throw new Unfit(`its ${at.join(".")} is not an array`);
  return holds(node, value) ? undefined : { ...addChild(text, node, { value }), made: at.length };
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
) {
  const label = child.key === undefined ? "" : `${JSON.stringify(child.key)}: `;
  const close = endOf(container) - 1;
  const last = container.children?.at(-1);
  const inside = text.slice(container.offset + 1, close);
  if (last !== undefined && !inside.includes("\n"))
    return withPieces(text, [{ offset: endOf(last), text: `, ${label}${JSON.stringify(child.value)}` }]);

  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, container.offset);
  const first = container.children?.[0];
  const indent = first === undefined ? outer + unitOf(text) : indentAt(text, first.offset);
  const pretty = JSON.stringify(child.value, null, unitOf(text)).replaceAll("\n", lineEnd + indent);
  const end = container.offset + 1 + inside.trimEnd().length;
  const tail = text.slice(end, close).includes("\n") ? "" : lineEnd + outer;
  const body = { offset: end, text: `${lineEnd}${indent}${label}${pretty}${tail}` };
  if (last === undefined || commaIn(text.slice(endOf(last), close)) !== undefined) return withPieces(text, [body]);
  if (endOf(last) === end) return withPieces(text, [{ offset: end, text: `,${body.text}` }]);
  return withPieces(text, [{ offset: endOf(last), text: "," }, body]);
}

/** Inserts the pieces. Their offsets become offsets in the new text. */
function withPieces(text: string, pieces: Inserted["pieces"]): Omit<Inserted, "made"> {
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
