import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import type { Verdict } from "../../contract/verdict.ts";
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
    [["tools", "deny"], addition.deniedTools.map(textItem)],
    [["tools", "require_approval_for"], addition.askedTools.map(textItem)],
    [["network", "allow"], addition.hosts.map(textItem)],
    [["network", "deny"], addition.deniedHosts.map(textItem)],
    [["paths", "read_roots"], addition.readRoots.map(textItem)],
    [["paths", "write_roots"], addition.writeRoots.map(textItem)],
    [["paths", "deny_read"], addition.denyRead.map(textItem)],
    [["paths", "deny_write"], addition.denyWrite.map(textItem)],
    [["env", "pass"], addition.variables.map(textItem)],
  ];
  return lists.reduce((made, [path, items]) => (items.length === 0 ? made : appendToList(made, path, items)), text);
}

function textItem(value: string): YamlItem {
  const word = yamlWord(value);
  return { lines: [word], flow: word, value };
}

function ruleItem(rule: AddedRule): YamlItem {
  const {
    id,
    argv,
    exact,
    asWritten,
    verdict = "allow",
    because,
    contained,
    hosts = [],
    match = [],
    notMatch = [],
  } = rule;
  const value = {
    id,
    argv,
    ...(exact ? { exact } : {}),
    ...(asWritten === true ? { as_written: true } : {}),
    verdict,
    ...(contained === false ? { contained } : {}),
    ...(hosts.length === 0 ? {} : { hosts }),
    because,
    ...(match.length === 0 ? {} : { match }),
    ...(notMatch.length === 0 ? {} : { not_match: notMatch }),
  };
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${yamlField(field)}`);
  return { lines: fields, flow: `{ ${fields.join(", ")} }`, value };
}

function yamlField(value: boolean | string | readonly (string | readonly string[])[]): string {
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" ? yamlWord(value) : `[${value.map(yamlField).join(", ")}]`;
}

/** A rule as `guard allow` and `import` write it. */
export interface AddedRule {
  readonly id: string;
  readonly argv: readonly (string | readonly string[])[];
  /** False for a rule about every command that begins with these words. */
  readonly exact: boolean;
  readonly asWritten?: true | undefined;
  /** It allows if nothing else is said. */
  readonly verdict?: Verdict | undefined;
  readonly because: string;
  /** False for a command that has to run outside the sandbox. */
  readonly contained?: false | undefined;
  /** Hosts, `NAME:PORT`, that it may reach. */
  readonly hosts?: readonly string[] | undefined;
  readonly match?: readonly string[] | undefined;
  readonly notMatch?: readonly string[] | undefined;
}

/** What is added to a policy file. Roots are whole lists, because a file's roots replace those of the preset. */
export interface PolicyAddition {
  readonly rules: readonly AddedRule[];
  readonly hosts: readonly string[];
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  readonly variables: readonly string[];
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  readonly deniedHosts: readonly string[];
  readonly deniedTools: readonly string[];
  readonly askedTools: readonly string[];
}

export const NOTHING_ADDED: PolicyAddition = {
  rules: [],
  hosts: [],
  readRoots: [],
  writeRoots: [],
  variables: [],
  denyRead: [],
  denyWrite: [],
  deniedHosts: [],
  deniedTools: [],
  askedTools: [],
};

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
 * Appends items to the list at `path` in a YAML text, and creates the list if it is missing. Everything else stays as
 * it is, byte for byte where the text has an ordinary form.
 */
function appendToList(text: string, path: readonly [string, ...string[]], items: readonly YamlItem[]): string {
  const values = items.map(({ value }) => value);
  const wanted = canonicalJson(appended(plain(parseDocument(text)), path, values));
  const isWanted = (candidate: string) => {
    const document = parseDocument(candidate, { strict: true, uniqueKeys: true });
    return document.errors.length === 0 && canonicalJson(plain(document)) === wanted;
  };
  const found = candidates(text, path, items).find(isWanted) ?? rewritten(text, path, values);
  if (isWanted(found)) return found;
  throw new UserError(`${path.join(".")} cannot be edited safely in this file`, {
    fix: `add this by hand to ${path.join(".")}: ${flowOf(items)}`,
  });
}

const plain = (document: Document): unknown => document.toJS({ maxAliasCount: 50 });

const flowOf = (items: readonly YamlItem[]) => items.map(({ flow }) => flow).join(", ");

function appended(value: unknown, [key, ...rest]: readonly string[], items: readonly unknown[]): unknown {
  if (key === undefined) return [...(Array.isArray(value) ? value : []), ...items];
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const inner: unknown = Object.entries(fields).find(([name]) => name === key)?.[1];
  return { ...fields, [key]: appended(inner, rest, items) };
}

/** The library's own form, which keeps comments but may change blanks and line breaks. */
function rewritten(text: string, path: readonly string[], values: readonly unknown[]): string {
  const document = parseDocument(text);
  if (document.hasIn(path)) for (const value of values) document.addIn(path, document.createNode(value));
  else document.setIn(path, document.createNode(values));
  return document.toString({ lineWidth: 0 });
}

/** What is put into the text, and the line ends that the text uses. */
interface Edit {
  readonly text: string;
  readonly items: readonly YamlItem[];
  readonly eol: string;
}

function candidates(text: string, path: readonly string[], items: readonly YamlItem[]): readonly string[] {
  const document = parseDocument(text);
  const edit = { text, items, eol: text.includes("\r\n") ? "\r\n" : "\n" };
  const list = document.getIn(path, true);
  if (isSeq(list)) return list.flow === true ? intoBrackets(text, list, flowOf(items)) : belowItems(list, edit);
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

function intoBraces(map: YAMLMap, missing: readonly string[], { text, items }: Edit): readonly string[] {
  const [first = "", ...inner] = missing;
  const value = inner.reduceRight((made, key) => `{ ${key}: ${made} }`, `[${flowOf(items)}]`);
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

function asLines(indent: string, { items, eol }: Edit): string {
  return items
    .flatMap(({ lines }) => lines.map((line, index) => `${eol}${indent}${index === 0 ? "- " : "  "}${line}`))
    .join("");
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
