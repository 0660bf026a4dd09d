import { join } from "node:path";
import { parseToml } from "../../lib/json/toml.ts";
import type { AgentInstall, PlainStart } from "../../contract/agent-install.ts";
import type { OwnPattern, OwnRules } from "../../contract/own-rules.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { collected, type CollectedRules, noRules, type WatchedFiles, watchedFiles } from "../install/watched-files.ts";
import { type Literal, type RuleCall, readRulesFile } from "./rules-file.ts";
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

function readRules(file: string, files: WatchedFiles, rules: CollectedRules): void {
  const content = files.read(file);
  if (content === undefined) return;
  if (content.text === undefined) {
    rules.unreadable.push({ rule: "a file that is too large or not a regular file", where: file });
    return;
  }
  const { calls, refused } = readRulesFile(content.text);
  const [first] = refused;
  if (first !== undefined) {
    rules.unreadable.push({ rule: first.text, where: `${file}:${first.line}` });
    return;
  }
  for (const call of calls) {
    const where = `${file}:${call.line}`;
    if (call.name === "host_executable") continue;
    const pattern = call.name === "prefix_rule" ? wordsOf(call.values["pattern"]) : hostOf(call.values["host"]);
    add({ pattern, decision: decisionOf(call), where, text: shown(call) }, rules);
  }
}

/** Without a decision, a rule allows. */
export const decisionOf = ({ values }: RuleCall) => values["decision"] ?? "allow";

export function shown({ name, values }: RuleCall): string {
  const subject = name === "prefix_rule" ? values["pattern"] : (values["host"] ?? values["name"]);
  return `${name}(${JSON.stringify(subject)}, ${JSON.stringify(values["decision"] ?? "allow")})`;
}

export function wordsOf(value: Literal | undefined): OwnPattern | undefined {
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

export const LISTS: Readonly<Record<string, "deny" | "ask" | "allow">> = {
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
