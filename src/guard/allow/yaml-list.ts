import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { UserError } from "../../lib/user-error.ts";

/** An item for a list, on lines of its own and inside brackets. */
export interface YamlItem {
  /** The first line follows `- `, the others are indented to it. */
  readonly lines: readonly string[];
  readonly flow: string;
  readonly value: unknown;
}

/**
 * Appends an item to the list at `path` in a YAML text, and creates the list if it is missing. Everything else stays as
 * it is, byte for byte where the text has an ordinary form.
 */
export function appendToList(text: string, path: readonly [string, ...string[]], item: YamlItem): string {
  const wanted = canonicalJson(appended(plain(parseDocument(text)), path, item.value));
  const isWanted = (candidate: string) => {
    const document = parseDocument(candidate, { strict: true, uniqueKeys: true });
    return document.errors.length === 0 && canonicalJson(plain(document)) === wanted;
  };
  const found = candidates(text, path, item).find(isWanted) ?? rewritten(text, path, item);
  if (isWanted(found)) return found;
  throw new UserError(`${path.join(".")} cannot be edited safely in this file`, {
    fix: `add this by hand to ${path.join(".")}: ${item.flow}`,
  });
}

const plain = (document: Document): unknown => document.toJS({ maxAliasCount: 50 });

function appended(value: unknown, [key, ...rest]: readonly string[], item: unknown): unknown {
  if (key === undefined) return [...(Array.isArray(value) ? value : []), item];
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const inner: unknown = Object.entries(fields).find(([name]) => name === key)?.[1];
  return { ...fields, [key]: appended(inner, rest, item) };
}

/** The library's own form, which keeps comments but may change blanks and line breaks. */
function rewritten(text: string, path: readonly string[], item: YamlItem): string {
  const document = parseDocument(text);
  if (document.hasIn(path)) document.addIn(path, document.createNode(item.value));
  else document.setIn(path, document.createNode([item.value]));
  return document.toString({ lineWidth: 0 });
}

/** What is put into the text, and the line ends that the text uses. */
interface Edit {
  readonly text: string;
  readonly item: YamlItem;
  readonly eol: string;
}

function candidates(text: string, path: readonly string[], item: YamlItem): readonly string[] {
  const document = parseDocument(text);
  const edit = { text, item, eol: text.includes("\r\n") ? "\r\n" : "\n" };
  const list = document.getIn(path, true);
  if (isSeq(list)) return list.flow === true ? intoBrackets(text, list, item.flow) : belowItems(list, edit);
  const known = path.findIndex((_, index) => !document.hasIn(path.slice(0, index + 1)));
  const parent = known <= 0 ? document.contents : document.getIn(path.slice(0, known), true);
  if (!isMap(parent)) return [];
  const missing = path.slice(Math.max(known, 0));
  return parent.flow === true ? intoBraces(parent, missing, edit) : belowPairs(parent, missing, edit);
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function intoBrackets(text: string, list: YAMLSeq | YAMLMap, flow: string): readonly string[] {
  const close = (list.range?.[1] ?? 0) - 1;
  const before = text.slice(0, close).trimEnd().length;
  const comma = list.items.length === 0 || text[before - 1] === "," ? "" : ",";
  const blank = list.items.length === 0 ? "" : " ";
  // A comment in front of the bracket would swallow the first form.
  return [insert(text, before, `${comma}${blank}${flow}`), insert(text, close, `${comma}${blank}${flow}`)];
}

function intoBraces(map: YAMLMap, missing: readonly string[], { text, item }: Edit): readonly string[] {
  const [first = "", ...inner] = missing;
  const value = inner.reduceRight((made, key) => `{ ${key}: ${made} }`, `[${item.flow}]`);
  return intoBrackets(text, map, `${first}: ${value}`);
}

function belowItems(list: YAMLSeq, edit: Edit): readonly string[] {
  const first = startOf(list.items[0]);
  const last = endOf(list.items.at(-1));
  if (first === undefined || last === undefined) return [];
  return [insert(edit.text, lineEnd(edit.text, last), asLines(indentAt(edit.text, first), edit))];
}

/** At the end of a mapping, as new keys. */
function belowPairs(map: YAMLMap, missing: readonly string[], edit: Edit): readonly string[] {
  const { text, eol } = edit;
  const first = startOf(map.items[0]?.key);
  const last = endOf(map.items.at(-1)?.value) ?? endOf(map.items.at(-1)?.key);
  if (first === undefined || last === undefined) return [];
  const indent = indentAt(text, first);
  const keys = missing.map((key, depth) => `${eol}${indent}${"  ".repeat(depth)}${key}:`).join("");
  return [insert(text, lineEnd(text, last), keys + asLines(`${indent}${"  ".repeat(missing.length)}`, edit))];
}

function asLines(indent: string, { item, eol }: Edit): string {
  return item.lines.map((line, index) => `${eol}${indent}${index === 0 ? "- " : "  "}${line}`).join("");
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
    ? node.range
    : undefined;
}

const startOf = (node: unknown) => rangeOf(node)?.[0];
const endOf = (node: unknown) => rangeOf(node)?.[1];

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The end of the line on which the last visible character before `at` stands; a comment behind it stays there. */
function lineEnd(text: string, at: number): number {
  const visible = text.slice(0, at).trimEnd().length;
  const end = text.indexOf("\n", visible);
  const close = end === -1 ? text.length : end;
  return text[close - 1] === "\r" ? close - 1 : close;
}
