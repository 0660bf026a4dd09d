import type { AgentName } from "../../contract/agent.ts";
import type { Change, OwnFile, Purpose } from "../change.ts";
import type { MarkdownFile } from "../read-markdown.ts";
import type { Sources } from "../sources.ts";
import { tomlLine, tomlText } from "../toml.ts";

/** Agents, skills and commands of `.signalbox/`, in the places and forms that an agent reads. */
export function textSurfaces(agent: AgentName, sources: Sources): readonly Change[] {
  switch (agent) {
    case "claude":
      return [
        ...agentFiles(agent, sources, ({ name }) => `.claude/agents/${name}.md`),
        ...skillFiles(agent, sources, ".claude/skills"),
        ...sources.commands.map(({ name, text }) =>
          file({ agent, surface: "commands" }, `.claude/commands/${name}.md`, Buffer.from(text)),
        ),
      ];
    case "copilot":
      return [
        ...agentFiles(agent, sources, ({ name }) => `.github/agents/${name}.agent.md`),
        ...skillFiles(agent, sources, ".agents/skills"),
        ...commandSkills(agent, sources),
      ];
    case "codex":
      return [
        ...sources.agents.map((source) => ({
          ...file({ agent, surface: "agents" }, `.codex/agents/${source.name}.toml`, Buffer.from(codexAgent(source))),
          mark: MADE,
        })),
        ...skillFiles(agent, sources, ".agents/skills"),
        ...commandSkills(agent, sources),
      ];
    case "amplifier":
    case "native":
      return [];
  }
}

const file = (purpose: Purpose, path: string, content: Uint8Array): OwnFile => ({
  kind: "file",
  path,
  content,
  executable: false,
  purpose,
});

function agentFiles(agent: AgentName, sources: Sources, pathOf: (source: MarkdownFile) => string): readonly Change[] {
  return sources.agents.map((source) => file({ agent, surface: "agents" }, pathOf(source), Buffer.from(source.text)));
}

function skillFiles(agent: AgentName, sources: Sources, folder: string): readonly Change[] {
  return sources.skills.flatMap((skill) =>
    skill.files.map(({ path, bytes, executable }) => ({
      ...file({ agent, surface: "skills" }, `${folder}/${skill.name}/${path}`, bytes),
      executable,
    })),
  );
}

/** Agents without commands of a repository read them as skills. A skill of the same name comes first. */
function commandSkills(agent: AgentName, { commands, skills }: Sources): readonly Change[] {
  return commands
    .filter(({ name }) => !skills.some((skill) => skill.name === name))
    .map(({ name, description, body }) => {
      const settings = [`name: ${name}`, `description: ${JSON.stringify(description)}`];
      const text = ["---", ...settings, "---", "", body, ""].join("\n");
      return file({ agent, surface: "commands" }, `.agents/skills/${name}/SKILL.md`, Buffer.from(text));
    });
}

const MADE = "# Made from .signalbox/agents by signalbox stage.";

function codexAgent({ name, description, body }: MarkdownFile): string {
  return [
    MADE,
    tomlLine("name", name),
    tomlLine("description", description),
    tomlText("developer_instructions", body),
    "",
  ].join("\n");
}
