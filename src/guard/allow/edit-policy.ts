import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { withLock } from "../../lib/files/lock.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { readPolicyText } from "../policy/compiled-policy.ts";
import { readPolicyFile } from "../policy/load-policy.ts";
import type { PresetName } from "../presets/presets.ts";

/** The text of a policy file that does not exist yet. */
export const NEW_POLICY = "version: 1\n";

/** The text of a policy file with an addition. Comments and formatting stay. */
export function addToPolicy(text: string, addition: PolicyAddition): string {
  const lists: readonly (readonly [readonly [string, ...string[]], readonly YamlItem[]])[] = [
    [["rules"], addition.rules.map(ruleItem)],
    [["network", "allow"], addition.hosts.map(textItem)],
    [["paths", "read_roots"], addition.readRoots.map(textItem)],
    [["paths", "write_roots"], addition.writeRoots.map(textItem)],
    [["env", "pass"], addition.variables.map(textItem)],
  ];
  return lists.reduce((made, [path, items]) => items.reduce((now, item) => appendToList(now, path, item), made), text);
}

function textItem(value: string): YamlItem {
  const word = yamlWord(value);
  return { lines: [word], flow: word, value };
}

function ruleItem({ id, argv, exact, because, contained, hosts = [] }: AddedRule): YamlItem {
  const fields = [
    `id: ${yamlWord(id)}`,
    `argv: [${argv.map(yamlWord).join(", ")}]`,
    ...(exact ? ["exact: true"] : []),
    "verdict: allow",
    ...(contained === false ? ["contained: false"] : []),
    ...(hosts.length === 0 ? [] : [`hosts: [${hosts.map(yamlWord).join(", ")}]`]),
    `because: ${yamlWord(because)}`,
  ];
  const value = {
    id,
    argv,
    ...(exact ? { exact } : {}),
    verdict: "allow",
    ...(contained === false ? { contained } : {}),
    ...(hosts.length === 0 ? {} : { hosts }),
    because,
  };
  return { lines: fields, flow: `{ ${fields.join(", ")} }`, value };
}

/** A rule for one argv, as `guard allow` writes it. */
export interface AddedRule {
  readonly id: string;
  readonly argv: readonly string[];
  /** False for a rule about every command that begins with these words. */
  readonly exact: boolean;
  readonly because: string;
  /** False for a command that has to run outside the sandbox. */
  readonly contained?: false | undefined;
  /** Hosts, `NAME:PORT`, that it may reach. */
  readonly hosts?: readonly string[] | undefined;
}

/** What is added to a policy file. Roots are whole lists, because a file's roots replace those of the preset. */
export interface PolicyAddition {
  readonly rules: readonly AddedRule[];
  readonly hosts: readonly string[];
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  readonly variables: readonly string[];
}

export const NOTHING_ADDED: PolicyAddition = { rules: [], hosts: [], readRoots: [], writeRoots: [], variables: [] };

/** The text of a policy file that starts from another preset. */
export function withPreset(text: string, preset: PresetName, name: string): string {
  const document = parseDocument(text);
  document.set("extends", preset);
  const made = document.toString({ lineWidth: 0 });
  if (readPolicyFile(made, name).extends === preset) return made;
  throw new UserError("the policy cannot be edited safely", {
    where: name,
    fix: `write it by hand: extends: ${preset}`,
  });
}

/** A policy file as it is now; undefined if there is none. A link or anything but a regular file is refused. */
export function policyNow(path: string): string | undefined {
  refuseLink(dirname(path));
  refuseLink(path);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const text = readPolicyText(path);
  // Root may write it all the same, but whoever took the right away meant something by it.
  if ((stat.mode & 0o200) === 0)
    throw new UserError("the policy file is read-only", { where: path, fix: `chmod u+w, or add the rule yourself` });
  return text;
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new UserError("it is a link, and signalbox does not write through links", {
    where: path,
    fix: `add the rule yourself to ${readlinkSync(path)}, or replace the link by a file`,
  });
}

/**
 * Replaces a policy file while no other signalbox changes one. `edit` gets the text that is there at that moment, and
 * what it throws leaves the file as it was.
 */
export function changePolicy(folder: string, path: string, edit: (text: string | undefined) => string): void {
  withLock(join(folder, "policy.lock"), () => {
    const text = edit(policyNow(path));
    const mode = (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    try {
      makeFolder(dirname(path));
      atomicWrite(path, text, mode);
    } catch (cause) {
      throw new UserError(`the policy cannot be written: ${messageOf(cause)}`, {
        where: path,
        fix: "make the folder writable, or add the rule yourself",
        exitCode: EXIT.failed,
        cause,
      });
    }
  });
}

/** An item for a list, on lines of its own and inside brackets. */
interface YamlItem {
  /** The first line follows `- `, the others are indented to it. */
  readonly lines: readonly string[];
  readonly flow: string;
  readonly value: unknown;
}

/**
 * Appends an item to the list at `path` in a YAML text, and creates the list if it is missing. Everything else stays as
 * it is, byte for byte where the text has an ordinary form.
 */
function appendToList(text: string, path: readonly [string, ...string[]], item: YamlItem): string {
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

const PLAIN = /^[A-Za-z_./@][A-Za-z0-9_./@-]*$/;

const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan|[.]{1,3})$/i;

// Whatever a reader might not see, or see as something else: controls, blanks other than a space, and format characters.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Mn}]|(?! )\p{Zs}|\p{Surrogate}/gu;

/** A text as one YAML scalar that stands on one line and shows every character that could be invisible as an escape. */
export function yamlWord(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text) && !text.startsWith("@")) return text;
  const escaped = text.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll(UNSAFE, escape);
  return `"${escaped}"`;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
