import { join } from "node:path";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge-place.ts";
import type { SubAgentDefinition } from "../../contract/sub-agent-definition.ts";
import { isInside } from "../../lib/inside.ts";
import { isRecord } from "../../lib/is-record.ts";
import { messageOf } from "../../lib/message-of.ts";
import { readMarkdown } from "../../lib/read-markdown.ts";
import { readYaml } from "../../lib/read-yaml.ts";
import { shortLine } from "../../lib/short-line.ts";
import { listNames } from "../texts/list-names.ts";
import { nameOf } from "../texts/name-of.ts";
import { readText } from "../texts/read-text.ts";
import { BUILT_IN_AGENTS } from "./built-in-agents.ts";

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
  const read = readText(file, { root: isInside(file, workspace) ? workspace : undefined, mayRead });
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
