import type { SubAgentDefinition } from "../../contract/knowledge.ts";
import { toolKind, type ToolKind } from "../../guard/judge/tool-call.ts";
import { matchesSegment } from "../../lib/path/glob.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";

interface DefinitionTools {
  readonly isEnabled: (name: string) => boolean;
  /** Names in the definition that mean no tool of ours. */
  readonly unknown: readonly string[];
}

const COMMANDS = ["bash", "read_bash", "stop_bash"];

/** Our tools of each kind. */
const KINDS: Readonly<Partial<Record<ToolKind, readonly string[]>>> = {
  shell: COMMANDS,
  read: ["read"],
  write: ["write"],
  edit: ["edit", "write"],
  glob: ["glob"],
  grep: ["grep"],
  fetch: ["fetch"],
  search: ["web_search"],
  task: ["task"],
};

/** Words of other agents that the name of a kind does not cover. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  bash: COMMANDS,
  search: ["grep", "glob"],
  web: ["fetch", "web_search"],
  todo: ["todo"],
  TodoWrite: ["todo"],
  Skill: ["skill"],
  AskUserQuestion: ["ask_user"],
  lsp: ["lsp"],
};

/**
 * The tools that a definition names, in the words of any agent. `servers` has the names of servers' tools; those that
 * are still behind the search count as well.
 */
export function definitionTools({ tools }: SubAgentDefinition, servers: readonly string[] = []): DefinitionTools {
  if (tools === "*") return { isEnabled: () => true, unknown: [] };
  const enabled = new Set<string>();
  const patterns: string[] = [];
  const unknown: string[] = [];
  for (const name of tools) {
    const pattern = serverPattern(name);
    const meant = pattern === undefined ? ours(name) : servers.filter((each) => matchesSegment(pattern, each));
    if (pattern !== undefined) patterns.push(pattern);
    for (const each of meant) enabled.add(each);
    if (meant.length === 0 && !(pattern !== undefined && servers.includes(SEARCH))) unknown.push(name);
  }
  const isNamed = (name: string) =>
    name === SEARCH ? patterns.length > 0 : patterns.some((pattern) => matchesSegment(pattern, name));
  return { isEnabled: (name) => enabled.has(name) || isNamed(name), unknown };
}

const SEARCH = "mcp_search";

/** A server's tool is `mcp__server__tool`, or `server/tool` as in Copilot. */
function serverPattern(name: string): string | undefined {
  if (name.includes("/")) return `mcp__${name.replace("/", "__")}`;
  return name.startsWith("mcp__") ? name : undefined;
}

function ours(name: string): readonly string[] {
  const named = TOOL_NAMES.filter((each) => matchesSegment(name, each));
  return WORDS[name] ?? (named.length > 0 ? named : (KINDS[toolKind(name)] ?? []));
}

/** Whether a sub-agent has tools that write files. One that only runs commands, such as tests, is none. */
export const isWriter = (definition: SubAgentDefinition): boolean => {
  const { isEnabled } = definitionTools(definition);
  return !definition.isReadOnly && (isEnabled("write") || isEnabled("edit"));
};
