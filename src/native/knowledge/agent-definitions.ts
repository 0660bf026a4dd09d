import { join } from "node:path";
import type { KnowledgePlace, NotLoaded, SubAgentDefinition } from "../../contract/knowledge.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { readMarkdown } from "../../lib/json/read-markdown.ts";
import { readYaml } from "../../lib/json/read-yaml.ts";
import { isInside } from "../../lib/path/inside.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { listNames, nameOf, readText } from "./text-files.ts";

interface LoadedAgents {
  /** The built-in ones first. */
  readonly agents: readonly SubAgentDefinition[];
  readonly notLoaded: readonly NotLoaded[];
}

const MAX_AGENTS = 100;

const MAX_DESCRIPTION = 250;

const MAX_FILE = 64 * 1024;

const NAME = /^[A-Za-z0-9][\w.-]{0,49}$/;

const FOLDERS = [".signalbox/agents", ".github/agents", ".claude/agents"];

const HOME_FOLDERS = [".copilot/agents", ".claude/agents"];

const FILE = /^(?<name>.+?)(?:\.agent\.md|\.agent\.ya?ml|\.md)$/;

/** The sub-agents of the repository and of the user, behind the built-in ones. Of two with one name the first is used. */
export function loadAgents(place: KnowledgePlace): LoadedAgents {
  const agents = new Map(BUILT_IN_AGENTS.map((agent) => [agent.name, agent]));
  const notLoaded: NotLoaded[] = [];
  for (const folder of agentFolders(place)) {
    for (const { name: entry, kind } of listNames(folder).names) {
      const stem = FILE.exec(entry)?.groups?.["name"];
      if (stem === undefined || kind === "folder" || /^(?:\.|readme$)/i.test(stem)) continue;
      const isFull = agents.size === MAX_AGENTS;
      const found = isFull ? FULL : readAgent(join(folder, entry), stem, place);
      if (found === undefined) continue;
      const leave = (why: string) => notLoaded.push({ name: nameOf(join(folder, entry), place), why });
      const first = "why" in found ? undefined : agents.get(found.name);
      if ("why" in found) leave(found.why);
      else if (first !== undefined) leave(`${first.file ?? "a built-in agent"} has the same name and comes first`);
      else agents.set(found.name, found);
    }
  }
  return { agents: [...agents.values()], notLoaded };
}

const FULL = { why: `at most ${MAX_AGENTS} agents are offered` };

function agentFolders({ workspace, userHome, signalboxHome }: KnowledgePlace): ReadonlySet<string> {
  const own = [join(signalboxHome, "agents"), ...HOME_FOLDERS.map((folder) => join(userHome, folder))];
  return new Set([...FOLDERS.map((folder) => join(workspace, folder)), ...own]);
}

type Unusable = { readonly why: string };

function readAgent(file: string, stem: string, place: KnowledgePlace): SubAgentDefinition | Unusable | undefined {
  const { workspace, mayRead } = place;
  const read = readText(file, isInside(file, workspace) ? workspace : undefined, mayRead);
  if (read === undefined || "why" in read) return read;
  const isYaml = /\.ya?ml$/.test(file);
  const parsed = isYaml ? yamlFields(read.text) : markdownFields(stem, read.text);
  if ("why" in parsed) return parsed;
  return definition(parsed, stem, nameOf(file, place));
}

interface Fields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly prompt: string;
}

function markdownFields(stem: string, text: string): Fields | Unusable {
  const { fields, body, description, problem } = readMarkdown(stem, text);
  return problem === undefined ? { fields: { ...fields, description }, prompt: body } : { why: problem };
}

function yamlFields(text: string): Fields | Unusable {
  try {
    const { value } = readYaml(text, { name: "", what: "the agent", maxBytes: MAX_FILE, tooLarge: "shorten it" });
    if (!isRecord(value)) return { why: "it is not a list of keys and values" };
    const { prompt } = value;
    return { fields: value, prompt: typeof prompt === "string" ? prompt.trim() : "" };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

function definition({ fields, prompt }: Fields, stem: string, file: string): SubAgentDefinition | Unusable {
  const text = (key: string) => {
    const value = fields[key];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const name = (text("name") ?? stem).replaceAll(/\s+/g, "-");
  if (!NAME.test(name)) return { why: "its name may only contain letters, digits, dots, dashes and underscores" };
  if (prompt === "") return { why: "it has no prompt" };
  const tools = toolNames(fields["tools"]);
  if (tools === undefined) return { why: "its tools must be a list of names, or *" };
  return {
    name,
    displayName: shortLine(text("displayName") ?? name, MAX_DESCRIPTION),
    description: shortLine(text("description") ?? "", MAX_DESCRIPTION),
    model: text("model"),
    tools,
    prompt,
    isReadOnly: false,
    parts: ["environment", "limits", "instructions"],
    file,
  };
}

/** A list, or names with commas between them. Nothing at all means all tools. */
function toolNames(value: unknown): SubAgentDefinition["tools"] | undefined {
  const names: unknown = typeof value === "string" ? value.split(",") : (value ?? "*");
  if (names === "*") return "*";
  if (!Array.isArray(names)) return undefined;
  const given = names.map((name: unknown) => (typeof name === "string" ? name.trim() : undefined));
  const known = given.filter((name) => name !== undefined && name !== "");
  if (known.length < given.filter((name) => name !== "").length) return undefined;
  return known.includes("*") ? "*" : known.flatMap((name) => name ?? []);
}

const MAX_DESCRIBED = 60;

const MAX_LIST = 1500;

/** The sub-agents that are not built in, in one line for a tool's description; empty without any. */
export function showAgents(agents: readonly SubAgentDefinition[]): string {
  const custom = agents.filter(({ file }) => file !== undefined);
  const shown: string[] = [];
  let left = MAX_LIST;
  for (const { name, description } of custom) {
    const whole = description === "" ? name : `${name} (${cut(description)})`;
    // When space runs out, the name alone still allows its use, and beyond that it works unlisted.
    const text = whole.length < left ? whole : name;
    if (text.length > left) break;
    shown.push(text);
    left -= text.length + 2;
  }
  return shown.length === 0 ? "" : ` Also: ${shown.join(", ")}.`;
}

const cut = (text: string) => (text.length > MAX_DESCRIBED ? `${text.slice(0, MAX_DESCRIBED).toWellFormed()}…` : text);

const explore: SubAgentDefinition = {
  name: "explore",
  displayName: "Explore",
  description: "finds things in the code",
  model: "small",
  tools: ["grep", "glob", "read", "lsp"],
  isReadOnly: true,
  parts: ["environment", "limits"],
  prompt: `You answer one question about this code base, fast.
- Call all tools that do not depend on each other at once. One to three rounds of calls should be enough.
- Answer in fewer than 300 words. Name files and lines. Quote only what the answer needs.
- Say what you did not find. Do not guess.`,
};

const task: SubAgentDefinition = {
  name: "task",
  displayName: "Task",
  description: "runs builds and tests",
  model: "small",
  tools: ["bash", "read", "grep", "glob"],
  isReadOnly: false,
  parts: ["environment", "limits", "instructions"],
  prompt: `You run commands such as builds, tests and linters, and report what happened.
- When they succeed, answer with one line, such as "all 247 tests passed".
- When they fail, answer with the whole error output, unchanged and without advice.
- Never repair anything, and never run a command that was not asked for or needed to run the one that was.`,
};

const review: SubAgentDefinition = {
  name: "code-review",
  displayName: "Code review",
  description: "finds real defects in a change",
  tools: ["read", "grep", "glob", "lsp", "bash"],
  isReadOnly: true,
  parts: ["environment", "limits", "instructions"],
  prompt: `You review code and report only real defects: wrong results, security holes, races, leaks, lost errors, broken interfaces, measurable slowness.
- Say nothing about style, names, formatting, comments, structure or taste, and make no suggestions.
- Look at the code around a change before you call it wrong. For each defect name file and line, what goes wrong, and with which input.
- You cannot change anything.
- If there is no such defect, answer exactly: No significant issues found.`,
};

const general: SubAgentDefinition = {
  name: "general-purpose",
  displayName: "General purpose",
  description: "works on a task of several steps",
  tools: "*",
  isReadOnly: false,
  parts: ["identity", "environment", "changes", "limits", "tools", "instructions", "skills"],
  prompt: "You work on one part of a larger task. Do all of it and nothing beyond it, and check that it works.",
};

/** The sub-agents that every session has. */
export const BUILT_IN_AGENTS: readonly SubAgentDefinition[] = [explore, task, review, general];
