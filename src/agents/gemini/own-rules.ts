import { join, resolve } from "node:path";
import { parseToml } from "../../lib/json/toml.ts";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { HeldRule, OwnPattern, OwnRule, OwnRules } from "../../contract/own-rules.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { flagValues } from "../install/refuse.ts";
import { lineOf, splitRules, type WatchedFiles, watchedFiles } from "../install/watched-files.ts";
import {
  geminiHome,
  geminiSettings,
  type Settings,
  SYSTEM_FOLDERS,
  systemFiles,
  tableIn,
  wordsIn,
} from "./settings.ts";

interface Collected {
  readonly rules: ShellRule[];
  readonly unreadable: OwnRule[];
}

const [USER, ADMINISTRATOR, EXTENSION] = [4, 5, 2];

/**
 * Gemini's rules about shell commands: policy files and lists in the settings, of the user, of the administrator and of
 * extensions. A launch loads none of the repository's. Denials and questions are held without looking at priorities,
 * so rules that allow something in spite of them cannot be held.
 */
export const geminiOwnRules: AgentInstall["readOwnRules"] = ({ flags, env, cwd }, root = "/"): OwnRules => {
  const files = watchedFiles();
  const collected: Collected = { rules: [], unreadable: [] };
  const { folder } = geminiHome(env);
  const settings = settingsIn([join(folder, "settings.json"), ...systemFiles(env, root)], files, collected);
  for (const file of settings) readLists(file, collected);
  readAllowed(flagValues(flags, ["--allowed-tools"]).flatMap(splitRules), "--allowed-tools", collected);
  const named = (flag: string, key: string) => {
    const given = flagValues(flags, [flag]).flatMap((value) => value.split(","));
    return (given.length > 0 ? given : settings.flatMap(({ table }) => wordsIn(table, key))).map((path) =>
      resolve(cwd, path),
    );
  };
  const own = named("--policy", "policyPaths");
  readPolicies(own.length > 0 ? own : [join(folder, "policies")], USER, files, collected);
  const administrators = SYSTEM_FOLDERS.map((place) => join(root, place, "policies"));
  readPolicies([...administrators, ...named("--admin-policy", "adminPolicyPaths")], ADMINISTRATOR, files, collected);
  const extensions = files.below(join(folder, "extensions"), ".toml").filter((file) => file.includes("/policies/"));
  readPolicies(extensions, EXTENSION, files, collected);
  return { ...listsOf(collected), sources: files.sources };
};

function listsOf({ rules, unreadable }: Collected) {
  const of = (decision: ShellRule["decision"]) =>
    rules
      .filter((rule) => rule.decision === decision && rule.patterns.length > 0)
      .map(({ rule, where, patterns }): HeldRule => ({ rule, where, patterns }));
  const exception = findException(rules);
  const problem = exception && {
    rule: `${exception.rule} allows what another rule does not`,
    where: exception.where,
  };
  return { deny: of("deny"), ask: of("ask"), allow: of("allow"), unreadable: unreadable[0] ?? problem };
}

interface SettingsFile {
  readonly file: string;
  readonly text: string;
  readonly table: Settings;
}

function settingsIn(paths: readonly string[], files: WatchedFiles, { unreadable }: Collected): readonly SettingsFile[] {
  return paths.flatMap((file) => {
    const content = files.read(file);
    if (content === undefined) return [];
    const table = content.text === undefined ? undefined : geminiSettings(content.text);
    if (table === undefined) unreadable.push({ rule: "settings that are not a JSON object", where: file });
    return table === undefined ? [] : [{ file, text: content.text ?? "", table }];
  });
}

/** The priorities that Gemini gives to its lists. */
const [EXCLUDED, CONFIRMED] = [4.4, 4.35];

function readLists({ file, text, table }: SettingsFile, collected: Collected): void {
  const tools = tableIn(table, "tools");
  const where = (word: string) => lineOf(file, text, JSON.stringify(word));
  for (const word of wordsIn(tools, "exclude")) {
    const patterns = shellWord(word);
    if (patterns !== undefined)
      collected.rules.push({ rule: word, where: where(word), patterns, decision: "deny", priority: EXCLUDED });
  }
  for (const word of wordsIn(tools, "confirmationRequired"))
    if (isShell(word))
      collected.rules.push({ rule: word, where: where(word), patterns: ANY, decision: "ask", priority: CONFIRMED });
  readAllowed(wordsIn(tools, "allowed"), where, collected);
  if (tools["core"] === undefined) return;
  const core = wordsIn(tools, "core");
  const narrowed = core.find((word) => !isShell(word) && shellWord(word) !== undefined);
  if (narrowed !== undefined) collected.unreadable.push({ rule: `tools.core ${narrowed}`, where: where(narrowed) });
  else if (!core.some(isShell))
    collected.rules.push({ rule: "tools.core", where: where("core"), patterns: ANY, decision: "deny", priority: USER });
}

/** A list that allows only some commands makes Gemini deny all others, which no list of denials can say. */
function readAllowed(
  words: readonly string[],
  where: string | ((word: string) => string),
  { unreadable }: Collected,
): void {
  const narrowed = words.find((word) => !isShell(word) && shellWord(word) !== undefined);
  if (narrowed === undefined) return;
  unreadable.push({ rule: `tools.allowed ${narrowed}`, where: typeof where === "string" ? where : where(narrowed) });
}

const SHELL_NAMES = ["run_shell_command", "ShellTool"];

const isShell = (word: string) => SHELL_NAMES.includes(word);

/** What `run_shell_command(git push)` matches; undefined for another tool. */
function shellWord(word: string): readonly OwnPattern[] | undefined {
  if (isShell(word)) return ANY;
  const [, name = "", argument = ""] = /^([\w-]+)\(([\s\S]*)\)$/.exec(word) ?? [];
  return isShell(name) ? prefixPatterns(argument) : undefined;
}

function readPolicies(paths: readonly string[], tier: number, files: WatchedFiles, collected: Collected): void {
  const found = paths.flatMap((path) => (path.endsWith(".toml") ? [path] : files.below(path, ".toml")));
  for (const file of found) {
    const content = files.read(file);
    if (content === undefined) continue;
    const read = readPolicy(file, content.text, tier);
    collected.rules.push(...read.rules);
    collected.unreadable.push(...read.unreadable);
  }
}

type Table = Readonly<Record<string, unknown>>;

interface PolicyRules {
  readonly rules: readonly ShellRule[];
  /** Rules about commands that we cannot hold. */
  readonly unreadable: readonly OwnRule[];
}

/**
 * The rules about shell commands in a policy file of Gemini's. Whom or when a rule is for is not looked at, which is
 * stricter than Gemini itself. Gemini skips a file that it cannot read; for us its rules are unreadable.
 */
function readPolicy(file: string, text: string | undefined, tier: number): PolicyRules {
  const table = parseToml(text);
  if (table === undefined) return { rules: [], unreadable: [{ rule: "a file that is not TOML", where: file }] };
  const given: unknown = table["rule"] ?? [];
  const [rules, unreadable]: [ShellRule[], OwnRule[]] = [[], []];
  for (const rule of Array.isArray(given) ? given : [given]) {
    const where = lineOf(file, text ?? "", isRecord(rule) ? markOf(rule) : "[[rule]]");
    const at = { rule: JSON.stringify(rule), where };
    const read = isRecord(rule) ? readRule(rule, tier, at) : "unknown";
    if (read === "unknown") unreadable.push(at);
    else if (read !== undefined) rules.push(read);
  }
  return { rules, unreadable };
}

const DECISIONS: Readonly<Record<string, ShellRule["decision"]>> = { deny: "deny", ask_user: "ask", allow: "allow" };

const MAX_PRIORITY = 999;

/** Undefined for a rule about other tools. One that allows commands by a pattern is kept without it, for its priority. */
function readRule(rule: Table, tier: number, at: OwnRule): ShellRule | "unknown" | undefined {
  if (!isAboutShell(rule)) return undefined;
  const { decision: word, priority: given } = rule;
  const decision = typeof word === "string" && Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;
  const number = typeof given === "number" || typeof given === "bigint" ? Number(given) : MAX_PRIORITY;
  const patterns = patternsOf(rule) ?? (decision === "allow" ? [] : undefined);
  if (decision === undefined || patterns === undefined) return "unknown";
  return { ...at, decision, priority: tier + number / 1000, patterns };
}

/** Names with `*` may mean the shell too. A rule for a server's tools does not. */
function isAboutShell({ toolName, mcpName }: Table): boolean {
  if (mcpName !== undefined) return false;
  const names = typeof toolName === "string" ? [toolName] : (strings(toolName) ?? ["*"]);
  return names.some((name) => name === "run_shell_command" || (name.includes("*") && !name.startsWith("mcp_")));
}

/** Undefined for a regular expression, which only Gemini itself can match. */
function patternsOf({ commandPrefix, commandRegex, argsPattern }: Table): readonly OwnPattern[] | undefined {
  if (commandPrefix !== undefined) {
    const prefixes = typeof commandPrefix === "string" ? [commandPrefix] : strings(commandPrefix);
    return prefixes?.flatMap(prefixPatterns);
  }
  return commandRegex === undefined && argsPattern === undefined ? ANY : undefined;
}

/** The text by which a rule can be found in its file. */
function markOf({ commandPrefix, commandRegex, argsPattern, toolName }: Table): string {
  const given = [commandPrefix, commandRegex, argsPattern, toolName].find((value) => value !== undefined);
  const first: unknown = Array.isArray(given) ? given[0] : given;
  return typeof first === "string" ? JSON.stringify(first) : "[[rule]]";
}

/** A rule about shell commands. In Gemini the rule with the highest priority wins, whatever it decides. */
interface ShellRule extends HeldRule {
  readonly decision: "deny" | "ask" | "allow";
  readonly priority: number;
}

const ANY: readonly OwnPattern[] = [{ kind: "any" }];

/** A command that begins with this text, as words and as text. */
function prefixPatterns(prefix: string): readonly OwnPattern[] {
  const text = prefix.trim();
  if (text === "" || text === "*") return ANY;
  const words = text.split(/\s+/);
  const asText: OwnPattern = { kind: "text", text: `${text} *` };
  return words.every((word) => /^[\w./@:+=,-]+$/.test(word)) ? [{ kind: "words", words }, asText] : [asText];
}

/** The first rule that allows what another one with a lower priority denies or asks about, as far as can be told. */
function findException(rules: readonly ShellRule[]): ShellRule | undefined {
  const strict = rules.filter(({ decision }) => decision !== "allow");
  return rules.find(
    (rule) => rule.decision === "allow" && strict.some((other) => other.priority < rule.priority && meet(rule, other)),
  );
}

/** False only when the two rules are about different programs. */
function meet(one: ShellRule, other: ShellRule): boolean {
  const [first, second] = [programsOf(one), programsOf(other)];
  return first.some((program) => program === undefined || second.includes(program) || second.includes(undefined));
}

/** The programs that a rule names; undefined stands for any. */
function programsOf({ patterns }: ShellRule): readonly (string | undefined)[] {
  if (patterns.length === 0) return [undefined];
  return patterns.map((pattern) => {
    const [word] = pattern.kind === "words" ? pattern.words : pattern.kind === "text" ? pattern.text.split(" ") : [];
    return typeof word === "string" && !word.includes("*") ? word : undefined;
  });
}
