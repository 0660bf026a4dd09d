import { isDeepStrictEqual } from "node:util";
import type { Node } from "jsonc-parser";
import type { Entry } from "./inserted.ts";
import { commaIn, deepest, endOf, keyOf, rootObject, valueOf } from "./json-tree.ts";

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
