import type { SubAgentDefinition } from "../../../contract/sub-agent-definition.ts";
import { toolKind, type ToolKind } from "../../../guard/judge/tool-kind.ts";
import { matchesSegment } from "../../../lib/glob.ts";
import { TOOL_NAMES } from "../../../tools/tool-names.ts";

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

/** The tools that a definition names, in the words of any agent. `others` are those of servers. */
export function definitionTools({ tools }: SubAgentDefinition, others: readonly string[] = []): DefinitionTools {
  if (tools === "*") return { isEnabled: () => true, unknown: [] };
  const names = [...TOOL_NAMES, ...others];
  const enabled = new Set<string>();
  const unknown: string[] = [];
  for (const name of tools) {
    const meant = WORDS[name] ?? named(name, names) ?? KINDS[toolKind(name)] ?? [];
    if (meant.length === 0) unknown.push(name);
    for (const each of meant) enabled.add(each);
  }
  return { isEnabled: (name) => enabled.has(name), unknown };
}

/** Whether a sub-agent has tools that write files. One that only runs commands, such as tests, is none. */
export const isWriter = (definition: SubAgentDefinition): boolean => {
  const { isEnabled } = definitionTools(definition);
  return !definition.isReadOnly && (isEnabled("write") || isEnabled("edit"));
};

/** By name or pattern; a server's tool also as `server/tool`. */
function named(name: string, names: readonly string[]): readonly string[] | undefined {
  const pattern = name.includes("/") ? `mcp__${name.replace("/", "__")}` : name;
  const found = names.filter((each) => matchesSegment(pattern, each));
  return found.length === 0 ? undefined : found;
}
