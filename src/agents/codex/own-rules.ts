import { join } from "node:path";
import { parseToml } from "../../lib/json/toml.ts";
import type { AgentInstall, PlainStart } from "../../contract/agent-install.ts";
import type { OwnPattern, OwnRules } from "../../contract/own-rules.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { collected, type CollectedRules, noRules, type WatchedFiles, watchedFiles } from "../install/watched-files.ts";
import { codexHome, codexSettings, trustLevel } from "./settings.ts";

const SYSTEM = "etc/codex";

/** Codex's rules about commands and hosts: the user's, the administrator's, and those of a repository it trusts. */
export const codexOwnRules: AgentInstall["readOwnRules"] = (start, root = "/"): OwnRules => {
  const files = watchedFiles();
  const rules = noRules();
  const ignored = start.flags.includes("--ignore-rules");
  const home = codexHome(start.env, start.cwd);
  // It says which repositories are trusted, and so whose rules count.
  files.read(join(home, "config.toml"));
  const folders = [...(ignored ? [] : [home, ...trustedFolders(start)]), join(root, SYSTEM)];
  for (const file of folders.flatMap((folder) => files.below(join(folder, "rules"), ".rules")))
    readRules(file, files, rules);
  readRequirements(join(root, SYSTEM, "requirements.toml"), files, rules);
  return collected(rules, files);
};

/** Without a terminal a launch tells Codex not to trust the repository, so that its rules are not loaded at all. */
function trustedFolders(start: PlainStart) {
  if (!start.interactive) return [];
  const folders = foldersUp(start.cwd, start.workspace);
  if (trustLevel(codexSettings(start), folders) !== "trusted") return [];
  return folders.map((folder) => join(folder, ".codex"));
}

/** The arguments of the functions that a rules file may call, in their order. */
const FUNCTIONS = {
  prefix_rule: ["pattern", "decision", "match", "not_match", "justification"],
  host_executable: ["name", "paths"],
  network_rule: ["host", "protocol", "decision", "justification"],
};

function readRules(file: string, files: WatchedFiles, rules: CollectedRules): void {
  const content = files.read(file);
  if (content === undefined) return;
  if (content.text === undefined) {
    rules.unreadable.push({ rule: "a file that is too large or not a regular file", where: file });
    return;
  }
  const read = readRulesFile(content.text, FUNCTIONS);
  if ("unreadable" in read) {
    rules.unreadable.push({ rule: read.unreadable, where: `${file}:${read.line}` });
    return;
  }
  for (const call of read.calls) {
    const where = `${file}:${call.line}`;
    if (call.name === "host_executable") continue;
    const pattern = call.name === "prefix_rule" ? wordsOf(call.values["pattern"]) : hostOf(call.values["host"]);
    add({ pattern, decision: decisionOf(call), where, text: shown(call) }, rules);
  }
}

/** Without a decision, a rule allows. */
const decisionOf = ({ values }: RuleCall) => values["decision"] ?? "allow";

function shown({ name, values }: RuleCall): string {
  const subject = name === "prefix_rule" ? values["pattern"] : values["host"];
  return `${name}(${JSON.stringify(subject)}, ${JSON.stringify(values["decision"] ?? "allow")})`;
}

function wordsOf(value: Literal | undefined): OwnPattern | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const words = value.flatMap((item: unknown) => {
    const known = typeof item === "string" ? item : strings(item);
    return known === undefined || known.length === 0 ? [] : [known];
  });
  return words.length === value.length ? { kind: "words", words } : undefined;
}

function hostOf(value: Literal | undefined): OwnPattern | undefined {
  return typeof value === "string" && value !== "" ? { kind: "host", host: value.toLowerCase() } : undefined;
}

interface Found {
  readonly pattern: OwnPattern | undefined;
  readonly decision: unknown;
  readonly where: string;
  readonly text: string;
}

const LISTS: Readonly<Record<string, "deny" | "ask" | "allow">> = {
  forbidden: "deny",
  deny: "deny",
  prompt: "ask",
  allow: "allow",
};

function add({ pattern, decision, where, text }: Found, rules: CollectedRules): void {
  const list = typeof decision === "string" && Object.hasOwn(LISTS, decision) ? LISTS[decision] : undefined;
  if (list === undefined || pattern === undefined) rules.unreadable.push({ rule: text, where });
  else rules[list].push({ rule: text, where, patterns: [pattern] });
}

/** An administrator's rules: `[rules] prefix_rules = [{ pattern = [{ token = "rm" }], decision = "forbidden" }]`. */
function readRequirements(file: string, files: WatchedFiles, rules: CollectedRules): void {
  const content = files.read(file);
  if (content === undefined) return;
  const table = parseToml(content.text);
  if (table === undefined) {
    rules.unreadable.push({ rule: "a file that is not TOML", where: file });
    return;
  }
  const section = isRecord(table["rules"]) ? table["rules"] : {};
  const given: unknown = section["prefix_rules"] ?? [];
  for (const rule of Array.isArray(given) ? given : [given]) {
    const pattern = isRecord(rule) ? wordsOf(literalTokens(rule["pattern"])) : undefined;
    const decision: unknown = isRecord(rule) ? rule["decision"] : undefined;
    add({ pattern, decision, where: file, text: JSON.stringify(rule) }, rules);
  }
}

function literalTokens(value: unknown): Literal | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown): Literal => {
    if (!isRecord(item)) return typeof item === "string" ? item : null;
    return typeof item["token"] === "string" ? item["token"] : (strings(item["any_of"]) ?? null);
  });
}

/** One call in a rules file: its name, its named arguments, and the line it starts on. */
interface RuleCall {
  readonly name: string;
  readonly values: Readonly<Record<string, Literal>>;
  readonly line: number;
}

type Literal = string | number | boolean | null | readonly Literal[];

/** Either every call of the file, or the line that is not a plain call with literal arguments. */
type RulesFile = { readonly calls: readonly RuleCall[] } | { readonly unreadable: string; readonly line: number };

/**
 * Reads one of Codex's rules files. They are programs in Starlark; only what Codex itself writes is read: calls with
 * literal arguments. Names for positional arguments come from `positions`.
 */
function readRulesFile(text: string, positions: Readonly<Record<string, readonly string[]>>): RulesFile {
  const tokens = tokenize(text);
  const reader = new TokenReader(tokens);
  try {
    const calls: RuleCall[] = [];
    while (reader.peek().kind !== "end") calls.push(readCall(reader, positions));
    return { calls };
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error;
    return { unreadable: (text.split("\n")[error.line - 1] ?? "").trim(), line: error.line };
  }
}

class NotLiteral extends Error {
  override readonly name = "NotLiteral";
  readonly line: number;
  constructor(line: number) {
    super("not a literal");
    this.line = line;
  }
}

interface Token {
  readonly kind: "name" | "string" | "number" | "mark" | "end" | "strange";
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /(?<blank>[ \t\r\n]+|\\\n|#[^\n]*)|(?<string>"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|(?<name>[A-Za-z_]\w*)|(?<number>\d+)|(?<mark>[()[\],=;])|(?<strange>[\s\S])/gy;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const match of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ["strange"];
    if (kind !== "blank") tokens.push({ kind: kindOf(kind), text: match[0], line });
    line += match[0].split("\n").length - 1;
  }
  return [...tokens, { kind: "end", text: "", line }];
}

function kindOf(name: string): Token["kind"] {
  return name === "string" || name === "name" || name === "number" || name === "mark" ? name : "strange";
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }
  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? { kind: "end", text: "", line: this.#tokens.at(-1)?.line ?? 1 };
  }
  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }
  /** Takes a mark if it is next. */
  takes(text: string): boolean {
    const { kind, text: found } = this.peek();
    if (kind !== "mark" || found !== text) return false;
    this.#at++;
    return true;
  }
  expect(text: string): void {
    if (!this.takes(text)) throw new NotLiteral(this.peek().line);
  }
}

function readCall(reader: TokenReader, positions: Readonly<Record<string, readonly string[]>>): RuleCall {
  const { kind, text: name, line } = reader.next();
  const names = positions[name];
  if (kind !== "name" || names === undefined) throw new NotLiteral(line);
  reader.expect("(");
  const values: Record<string, Literal> = {};
  for (let index = 0; !reader.takes(")"); index++) {
    const named = reader.peek().kind === "name" && reader.peek(1).text === "=";
    const key = named ? reader.next().text : names[index];
    if (key === undefined || key in values) throw new NotLiteral(reader.peek().line);
    if (named) reader.expect("=");
    values[key] = readLiteral(reader);
    if (!reader.takes(",") && reader.peek().text !== ")") throw new NotLiteral(reader.peek().line);
  }
  reader.takes(";");
  return { name, values, line };
}

const WORDS: Readonly<Record<string, Literal>> = { True: true, False: false, None: null };

/** Rules nest lists twice. */
const MAX_DEPTH = 20;

function readLiteral(reader: TokenReader, depth = 0): Literal {
  const { kind, text, line } = reader.next();
  if (kind === "number") return Number(text);
  if (kind === "name" && Object.hasOwn(WORDS, text)) return WORDS[text] ?? null;
  if (kind === "string") return stringIn(text, line);
  if (kind !== "mark" || (text !== "[" && text !== "(") || depth > MAX_DEPTH) throw new NotLiteral(line);
  const items: Literal[] = [];
  const end = text === "[" ? "]" : ")";
  while (!reader.takes(end)) {
    items.push(readLiteral(reader, depth + 1));
    if (!reader.takes(",") && reader.peek().text !== end) throw new NotLiteral(reader.peek().line);
  }
  return items;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function stringIn(token: string, line: number): string {
  const quotes = /^(?:"""|''')/.test(token) ? 3 : 1;
  return token.slice(quotes, -quotes).replaceAll(/\\([\s\S])/g, (_, character: string) => {
    if (/[0-9xuU]/.test(character)) throw new NotLiteral(line);
    return ESCAPES[character] ?? character;
  });
}
