import { parse } from "smol-toml";
import type { OwnPattern, OwnRule } from "../../contract/own-rules.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import { lineOf } from "../install/watched-files.ts";
import { ANY, prefixPatterns, type ShellRule } from "./shell-rule.ts";

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
export function readPolicy(file: string, text: string | undefined, tier: number): PolicyRules {
  const table = tableOf(text);
  if (table === undefined) return { rules: [], unreadable: [{ rule: "a file that is not TOML", where: file }] };
  const given: unknown = table["rule"] ?? [];
  const [rules, unreadable]: [ShellRule[], OwnRule[]] = [[], []];
  for (const rule of Array.isArray(given) ? given : [given]) {
    const read = isRecord(rule) ? readRule(rule, tier) : "unknown";
    if (read === undefined) continue;
    const shown = JSON.stringify(rule);
    const where = lineOf(file, text ?? "", isRecord(rule) ? markOf(rule) : "[[rule]]");
    if (read === "unknown") unreadable.push({ rule: shown, where });
    else rules.push({ rule: shown, where, ...read });
  }
  return { rules, unreadable };
}

function tableOf(text: string | undefined): Table | undefined {
  try {
    return text === undefined ? undefined : parse(text);
  } catch {
    return undefined;
  }
}

const DECISIONS: Readonly<Record<string, ShellRule["decision"]>> = { deny: "deny", ask_user: "ask", allow: "allow" };
const MAX_PRIORITY = 999;

/** Undefined for a rule about other tools. One that allows commands by a pattern is kept without it, for its priority. */
function readRule(
  rule: Table,
  tier: number,
): Pick<ShellRule, "decision" | "priority" | "patterns"> | "unknown" | undefined {
  if (!isAboutShell(rule)) return undefined;
  const { decision: word, priority: given } = rule;
  const decision = typeof word === "string" && Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;
  const number = typeof given === "number" || typeof given === "bigint" ? Number(given) : MAX_PRIORITY;
  const patterns = patternsOf(rule) ?? (decision === "allow" ? [] : undefined);
  if (decision === undefined || patterns === undefined) return "unknown";
  return { decision, priority: tier + number / 1000, patterns };
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
