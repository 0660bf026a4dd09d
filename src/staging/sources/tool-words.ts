import { strings } from "../../lib/is-record.ts";
import type { TextDialect, ToolAbility } from "../../agents/pack/surfaces.ts";
import { DIALECTS } from "./staged-agents.ts";

/** The words of a list of tools: YAML, or text with commas. Undefined for every tool; a problem for anything else. */
export function toolWords(value: unknown): readonly string[] | undefined | { readonly problem: string } {
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
export interface ToolWord {
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

export function readToolWord(word: string, dialect: TextDialect): ToolWord {
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
export function forbiddenBy(word: string, dialect: TextDialect): readonly ToolAbility[] {
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
