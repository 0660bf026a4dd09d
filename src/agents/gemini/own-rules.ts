import { join, resolve } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { HeldRule, OwnPattern, OwnRule, OwnRules } from "../../contract/own-rules.ts";
import { flagValues } from "../install/refuse.ts";
import { splitRules } from "../install/split-rules.ts";
import { lineOf, type WatchedFiles, watchedFiles } from "../install/watched-files.ts";
import { readPolicy } from "./policy-file.ts";
import { ANY, findException, prefixPatterns, type ShellRule } from "./shell-rule.ts";
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
  for (const { file, text, table } of settings) readLists(table, { file, text }, collected);
  readAllowed(flagValues(flags, ["--allowed-tools"]).flatMap(splitRules), "--allowed-tools", collected);
  const named = (flag: string, key: string) => {
    const given = flagValues(flags, [flag]).flatMap((value) => value.split(","));
    return (given.length > 0 ? given : settings.flatMap(({ table }) => wordsIn(table, key))).map((path) =>
      resolve(cwd, path),
    );
  };
  const own = named("--policy", "policyPaths");
  readPolicies(own.length > 0 ? own : [join(folder, "policies")], USER, { files, collected });
  const administrators = SYSTEM_FOLDERS.map((place) => join(root, place, "policies"));
  readPolicies([...administrators, ...named("--admin-policy", "adminPolicyPaths")], ADMINISTRATOR, {
    files,
    collected,
  });
  const extensions = files.below(join(folder, "extensions"), ".toml").filter((file) => file.includes("/policies/"));
  readPolicies(extensions, EXTENSION, { files, collected });
  return { ...listsOf(collected), sources: files.sources };
};

function listsOf({ rules, unreadable }: Collected): Omit<OwnRules, "sources"> {
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

function readLists(table: Settings, { file, text }: Omit<SettingsFile, "table">, collected: Collected): void {
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

interface Reading {
  readonly files: WatchedFiles;
  readonly collected: Collected;
}

function readPolicies(paths: readonly string[], tier: number, { files, collected }: Reading): void {
  const found = paths.flatMap((path) => (path.endsWith(".toml") ? [path] : files.below(path, ".toml")));
  for (const file of found) {
    const content = files.read(file);
    if (content === undefined) continue;
    const read = readPolicy(file, content.text, tier);
    collected.rules.push(...read.rules);
    collected.unreadable.push(...read.unreadable);
  }
}
