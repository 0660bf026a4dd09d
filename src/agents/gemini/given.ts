import { existsSync } from "node:fs";
import { join } from "node:path";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { GivenInstructions, GivenText, GivenTexts } from "../../contract/agent-install.ts";
import { tomlString } from "../../lib/json/toml.ts";
import { strings } from "../../lib/json/json-value.ts";
import { givenMarkdown, type NativeFiles, withoutNative } from "../install/given-plugin.ts";
import type { GivenSurfaces, TextDialect } from "../pack/surfaces.ts";

interface Parts {
  /** The folder that Gemini is started in: it reads the skills and commands of no other. */
  readonly cwd: string;
  readonly warn: (text: string) => void;
}

const nested = ({ folder, name }: GivenText) => (folder === "" ? name : `${folder}/${name}`);

/** Seen on 0.61.0 with `--skip-trust`, which leaves the agents of the repository out. */
const native = (cwd: string): NativeFiles => ({
  agents: () => [],
  commands: (text) => [`.gemini/commands/${nested(text)}.toml`],
  skills: ({ name }) =>
    [`.agents/skills/${name}/SKILL.md`, `.gemini/skills/${name}/SKILL.md`].filter((path) => hasName(join(cwd, path))),
});

/** Gemini passes over a skill whose front matter has no name; other agents take the name of the folder. */
const hasName = (path: string) =>
  /^---\r?\n(?:(?!---)[^\n]*\n)*?\s*name:/.test(existsSync(path) ? (textIfReadable(path) ?? "") : "");

/** The files of an extension that gives Gemini CLI the texts of `.signalbox/`, without its description. */
export function geminiGiven(given: GivenTexts | undefined, parts: Parts): Readonly<Record<string, string>> {
  if (given === undefined) return {};
  const texts = withoutNative(given, [parts.cwd], native(parts.cwd));
  return Object.fromEntries([
    ...agentFiles(texts.agents, parts.warn),
    ...texts.commands.map((text) => [`commands/${nested(text)}.toml`, command(text)]),
    ...texts.skills.map((text) => [`skills/${text.name}/SKILL.md`, givenMarkdown(text, text.body)]),
    ...(texts.instructions.length === 0 ? [] : [["GEMINI.md", texts.instructions.map(headed).join("\n\n")]]),
  ]);
}

function agentFiles(agents: readonly GivenText[], warn: Parts["warn"]): readonly (readonly [string, string])[] {
  const files = new Map<string, string>();
  const left: string[] = [];
  for (const text of agents) {
    const path = `agents/${slug(text.name)}.md`;
    const fields = agentFields(text);
    if (fields === undefined || files.has(path)) left.push(text.name);
    else files.set(path, givenMarkdown({ ...text, fields }, withoutPlaceholders(text.body)));
  }
  if (left.length > 0)
    warn(`left out, because Gemini CLI has none of their tools or knows another by that name: ${left.join(", ")}`);
  return [...files];
}

/** Gemini takes no other characters in the name of an agent. */
const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "-");

function agentFields({ name, description, fields }: GivenText): GivenText["fields"] | undefined {
  const { tools, model } = fields;
  const named = typeof tools === "string" ? tools.split(",").map((word) => word.trim()) : strings(tools);
  const known = named?.filter(isTool);
  if (known?.length === 0) return undefined;
  return {
    name: slug(name),
    description,
    ...(known === undefined ? {} : { tools: known }),
    ...(typeof model === "string" ? { model } : {}),
  };
}

const isTool = (word: string) =>
  Object.hasOwn(dialect.tools, word) || Object.hasOwn(dialect.aliases, word) || /^mcp_[\w.:-]+_[\w.:*-]+$/.test(word);

/** Gemini cannot start an agent whose text has a `${NAME}` that it does not know. */
const withoutPlaceholders = (body: string) =>
  body.replaceAll(/\$\{(\w+)\}(?!\w)/g, "$$$1").replaceAll(/\$\{(?=\w+\})/g, "$ {");

const command = ({ description, body }: GivenText) =>
  `description = ${tomlString(description)}\nprompt = ${tomlString(inert(withArguments(body)))}\n`;

function withArguments(body: string): string {
  const whole = body.replaceAll(/\$ARGUMENTS\b/g, "{{args}}");
  if (!/\$[1-9](?!\d)/.test(whole)) return whole;
  return `\`$1\`, \`$2\` stand for the words of: {{args}}\n\n${whole}`;
}

const headed = ({ path, text, isOwn }: GivenInstructions) =>
  `Contents of ${path} (${isOwn ? "the user's instructions for all projects" : "project instructions"}):\n\n${inert(text)}`;

/**
 * A text of which Gemini runs nothing and reads no file: it does both for `!{command}` and `@{path}` in a command, and reads
 * `@path` in instructions, without asking any hook.
 */
const inert = (text: string) =>
  text
    .replaceAll(/!`([^`\n]+)`/g, "`$1` (run this command and use its output here)")
    .replaceAll(/([!@])(?=\{)/g, "$1 ")
    .replaceAll(/(?<=^|\s)@(?=\S)/g, "@ ");

/** Seen on 0.61.0: an agent's file with an unknown tool or key is not loaded at all. */
export const dialect: TextDialect = {
  tools: {
    read_file: ["read"],
    list_directory: ["list"],
    grep_search: ["grep"],
    glob: ["glob"],
    replace: ["edit", "create"],
    write_file: ["create", "edit"],
    run_shell_command: ["shell"],
    web_fetch: ["fetch"],
    google_web_search: ["search"],
    invoke_agent: ["delegate"],
    write_todos: ["plan"],
    activate_skill: ["skill"],
  },
  aliases: { read_many_files: ["read"], search_file_content: ["grep"] },
  limitsTools: true,
  forbidsTools: false,
  serverTool: (server, tool) => `mcp_${server}_${tool ?? "*"}`,
  model: (name) => (name.startsWith("gemini-") ? name : undefined),
  fillsIn: false,
};

/** What a launch can give Gemini CLI. Nothing is staged for it. */
export const givenSurfaces: GivenSurfaces = {
  dialect,
  commands: { folder: ".gemini/commands", ending: ".toml", isNested: true },
  skills: { folder: ".agents/skills", alsoRead: [".gemini/skills"] },
  // A launch makes it read this file too, and that is where other agents have the staged instructions.
  instructions: { files: ["AGENTS.md"], choose: () => "AGENTS.md" },
};
