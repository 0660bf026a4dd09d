import type { TextPlace } from "../../agents/pack/surfaces.ts";
import type { Change, OwnFile, Purpose } from "../sources/change.ts";
import type { MarkdownFile } from "../sources/read-markdown.ts";
import type { Sources } from "../sources/sources.ts";
import type { StagedAgent } from "../sources/staged-agents.ts";

/** Agents, skills, and commands from `.signalbox/`, in the places and formats that an agent reads. */
export function textSurfaces({ name: agent, surfaces }: StagedAgent, sources: Sources): readonly Change[] {
  const { agents, skills, commands } = surfaces;
  return [
    ...(agents === undefined ? [] : textFiles({ agent, surface: "agents" }, agents, sources.agents)),
    ...(skills === undefined ? [] : skillFiles({ agent, surface: "skills" }, skills.folder, sources)),
    ...(commands === undefined ? [] : textFiles({ agent, surface: "commands" }, commands, sources.commands)),
    ...(commands === undefined && skills !== undefined
      ? commandSkills({ agent, surface: "commands" }, skills.folder, sources)
      : []),
  ];
}

const file = (purpose: Purpose, path: string, content: Uint8Array): OwnFile => ({
  kind: "file",
  path,
  content,
  executable: false,
  purpose,
});

function textFiles(
  purpose: Purpose,
  { folder, ending, convert }: TextPlace,
  texts: readonly MarkdownFile[],
): readonly Change[] {
  return texts.map((source) => ({
    ...file(purpose, `${folder}/${source.name}${ending}`, Buffer.from(convert?.text(source) ?? source.text)),
    ...(convert === undefined ? {} : { mark: convert.mark }),
  }));
}

function skillFiles(purpose: Purpose, folder: string, sources: Sources): readonly Change[] {
  return sources.skills.flatMap((skill) =>
    skill.files.map(({ path, bytes, executable }) => ({
      ...file(purpose, `${folder}/${skill.name}/${path}`, bytes),
      executable,
    })),
  );
}

/**
 * For agents without repository commands, commands become skills. An actual skill with the same name takes precedence.
 */
function commandSkills(purpose: Purpose, folder: string, { commands, skills }: Sources): readonly Change[] {
  return commands
    .filter(({ name }) => !skills.some((skill) => skill.name === name))
    .map(({ name, description, body }) => {
      const settings = [`name: ${name}`, `description: ${JSON.stringify(description)}`];
      const text = ["---", ...settings, "---", "", body, ""].join("\n");
      return file(purpose, `${folder}/${name}/SKILL.md`, Buffer.from(text));
    });
}
