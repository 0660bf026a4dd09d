import type { TextDialect, ToolAbility } from "../../agents/pack/surfaces.ts";
import { strings } from "../../lib/json/json-value.ts";
import type { MarkdownFile } from "../../lib/json/read-markdown.ts";
import { DIALECTS } from "./staged-agents.ts";

interface Target {
  readonly dialect: TextDialect;
  readonly title: string;
}

/** The front matter of an agent, in another agent's words. */
interface TranslatedAgent {
  /** Keys to change; undefined ones are removed. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly model: string | undefined;
  /** What the user should know, if anything. */
  readonly note?: string;
}

/** Translates the tools and the model of an agent. Refused when it would be able to do more than its author allows. */
export function translateAgent(
  { fields }: MarkdownFile,
  target: Target,
): TranslatedAgent | { readonly refused: string } {
  const { title, dialect } = target;
  const limited = translateTools(fields, target);
  if ("refused" in limited) return limited;
  if (fields["permissionMode"] === "plan" && !dialect.forbidsTools)
    return { refused: `it only plans (permissionMode), and ${title} cannot limit an agent to that` };
  const changed: Record<string, unknown> = {};
  for (const key of ["tools", "disallowedTools"] as const) {
    const { [key]: words } = limited;
    if (String(words) !== String(asWords(fields[key]))) changed[key] = words;
  }
  const named = fields["model"];
  const model = typeof named === "string" ? dialect.model(named) : undefined;
  if (named !== undefined && model !== named) changed["model"] = model;
  const isLost = named !== undefined && named !== "inherit" && model === undefined;
  return { changed, model, ...(isLost ? { note: `${title} has no model ${JSON.stringify(named)}` } : {}) };
}

const asWords = (value: unknown): unknown => (typeof value === "string" ? value.split(/\s*,\s*/) : value);

const ARGUMENTS = /\$(?:ARGUMENTS\b|[1-9](?!\d))/;

const COMMANDS = /!`[^`\n]+`|```!/;

/** For an agent that does not fill in such a text itself: says what its marks mean, so that the model does it. */
export function withMarksExplained(body: string, isCommand: boolean): string {
  const sentences = [
    ...((isCommand ? ARGUMENTS.test(body) : body.includes("$ARGUMENTS"))
      ? ["`$ARGUMENTS` stands for what the user wrote after the name of this command, and `$1`, `$2` for its words."]
      : []),
    ...(COMMANDS.test(body)
      ? ["Before you begin, run each command that is marked as !`command` and use its output in that place."]
      : []),
  ];
  return sentences.length === 0 ? body : `${sentences.join(" ")}\n\n${body}`;
}

/** The tools of an agent in another agent's names, or why it must not be given to that one. */
type TranslatedTools =
  | { readonly tools?: readonly string[] | undefined; readonly disallowedTools?: readonly string[] | undefined }
  | { readonly refused: string };

/**
 * Translates `tools` and `disallowedTools`. The result allows at most what the source does: an agent whose list would
 * become empty or wider is refused.
 */
export function translateTools(fields: Readonly<Record<string, unknown>>, target: Target): TranslatedTools {
  const given = toolWords(fields["tools"]);
  const forbidden = forbiddenWords(fields["disallowedTools"]);
  if (given !== undefined && "problem" in given) return { refused: given.problem };
  if ("problem" in forbidden) return { refused: forbidden.problem };
  if (given === undefined && forbidden.length === 0) return {};
  const { dialect, title } = target;
  if (!dialect.limitsTools) return unlimited(given, forbidden, target);
  const allowed = given === undefined ? undefined : allowedWords(given, dialect);
  if (allowed?.length === 0) return { refused: `${title} has none of its tools (${given?.join(", ") ?? ""})` };
  if (forbidden.length === 0) return { tools: allowed };
  if (dialect.forbidsTools) return { tools: allowed, disallowedTools: forbiddenNames(forbidden, dialect) };
  const denied = abilitiesOf(forbidden, dialect);
  const left = (allowed ?? Object.keys(dialect.tools)).filter(
    (word) => !forbidden.includes(word) && !forbiddenBy(word, dialect).some((ability) => denied.has(ability)),
  );
  return left.length === 0 ? { refused: `no tool of ${title} would be left` } : { tools: left };
}

/** `disallowedTools` may be an empty list, which forbids nothing. */
function forbiddenWords(value: unknown): readonly string[] | { readonly problem: string } {
  if (Array.isArray(value) && value.length === 0) return [];
  if (value === "*" || (Array.isArray(value) && value.includes("*"))) return { problem: "it forbids every tool" };
  return toolWords(value) ?? [];
}

/** With a shell the other tools add nothing; without one, such an agent would get more than it may. */
function unlimited(
  given: readonly string[] | undefined,
  forbidden: readonly string[],
  { dialect, title }: Target,
): TranslatedTools {
  const hasShell = given?.some((word) => readToolWord(word, dialect).abilities.includes("shell")) ?? true;
  if (hasShell && forbidden.length === 0) return {};
  const limit = hasShell ? `must not use ${forbidden.join(", ")}` : `may only use ${given?.join(", ") ?? ""}`;
  return { refused: `it ${limit}, and ${title} cannot limit an agent's tools` };
}

/** A list in the agent's own words stays as it is. Of any other, each tool that is able to do no more than was allowed. */
function allowedWords(given: readonly string[], dialect: TextDialect): readonly string[] {
  const words = given.map((word) => readToolWord(word, dialect));
  if (words.some(({ isOwn }) => isOwn) && !words.some(({ isForeign }) => isForeign)) return given;
  const abilities = new Set(words.flatMap((word) => word.abilities));
  const names = Object.entries(dialect.tools)
    .filter(([, needed]) => needed.every((ability) => abilities.has(ability)))
    .map(([name]) => name);
  const own = words.filter(({ isOwn }) => isOwn).map(({ word }) => word);
  const servers = words.flatMap(({ serverTool }) => serverTool ?? []);
  return [...new Set([...names, ...own, ...servers])];
}

/** Every tool that is able to do any of what is forbidden. */
function forbiddenNames(forbidden: readonly string[], dialect: TextDialect): readonly string[] {
  const words = forbidden.map((word) => readToolWord(word, dialect));
  const own = words.filter(({ isForeign }) => !isForeign).map(({ word }) => word);
  const foreign = abilitiesOf(
    words.filter(({ isForeign }) => isForeign).map(({ word }) => word),
    dialect,
  );
  const names = Object.entries(dialect.tools)
    .filter(([, abilities]) => abilities.some((ability) => foreign.has(ability)))
    .map(([name]) => name);
  return [...new Set([...own, ...names, ...words.flatMap(({ serverTool }) => serverTool ?? [])])];
}

function abilitiesOf(words: readonly string[], dialect: TextDialect): ReadonlySet<ToolAbility> {
  return new Set(words.flatMap((word) => forbiddenBy(word, dialect)));
}

/** The words of a list of tools: YAML, or text with commas. Undefined for every tool; a problem for anything else. */
function toolWords(value: unknown): readonly string[] | undefined | { readonly problem: string } {
  if (value === undefined || value === null) return undefined;
  const words = typeof value === "string" ? value.split(COMMA) : strings(value);
  if (words === undefined) return { problem: "its list of tools is not a list of names" };
  const names = words.map((word) => word.trim()).filter((word) => word !== "");
  if (names.includes("*")) return undefined;
  return names.length === 0 ? { problem: "its list of tools is empty" } : names;
}

/** Not the commas between parentheses, as in `Bash(git add:*, git commit:*)`. */
const COMMA = /,(?![^(]*\))/;

/** One word of a list of tools. */
interface ToolWord {
  readonly word: string;
  /** Known to the agent that the list is for. */
  readonly isOwn: boolean;
  /** Known to another agent only. */
  readonly isForeign: boolean;
  /** What it allows; empty for a word that nobody knows, and for one limited in a way that only its own agent reads. */
  readonly abilities: readonly ToolAbility[];
  /** For a tool of an MCP server: its name for the agent that the list is for. */
  readonly serverTool?: string;
}

function readToolWord(word: string, dialect: TextDialect): ToolWord {
  const server = serverOf(word);
  if (server !== undefined) {
    const serverTool = dialect.serverTool(server.name, server.tool);
    const isOwn = serverTool === word;
    return { word, isOwn, isForeign: !isOwn, abilities: [], serverTool };
  }
  const name = word.replace(/\(.*$/s, "").trim();
  const own = abilitiesIn(dialect, name);
  const other = DIALECTS.map((each) => abilitiesIn(each, name)).find((found) => found !== undefined);
  const isLimited = word.includes("(");
  return {
    word,
    isOwn: own !== undefined,
    isForeign: own === undefined && other !== undefined,
    abilities: isLimited ? [] : (own ?? other ?? []),
  };
}

/** Everything that a word may mean, for a list of what is forbidden. */
function forbiddenBy(word: string, dialect: TextDialect): readonly ToolAbility[] {
  const name = word.replace(/\(.*$/s, "").trim();
  return [dialect, ...DIALECTS].flatMap((each) => abilitiesIn(each, name) ?? []);
}

function abilitiesIn({ tools, aliases }: TextDialect, name: string): readonly ToolAbility[] | undefined {
  if (Object.hasOwn(tools, name)) return tools[name];
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

/** The spellings of Claude Code and of Copilot CLI. */
function serverOf(word: string): { readonly name: string; readonly tool: string | undefined } | undefined {
  const [, name, tool] = /^mcp__([\w-]+?)(?:__(\S+))?$/.exec(word) ?? /^([\w-]+)\/(\S+)$/.exec(word) ?? [];
  if (name === undefined) return undefined;
  return { name, tool: tool === "*" ? undefined : tool };
}
