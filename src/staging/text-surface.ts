import type { ReadFile, Surfaces, TextDialect, TextFolder } from "../agents/pack/surfaces.ts";
import { type MarkdownFile, markdownOf } from "../lib/json/read-markdown.ts";
import type { Change, OwnFile, Purpose } from "./sources/change.ts";
import { skillName, type SourceTexts } from "./sources/sources.ts";
import type { GivenAgent, StagedAgent } from "./sources/staged-agents.ts";
import { translateAgent, withMarksExplained } from "./sources/translate-text.ts";

interface TextSurfaces {
  readonly changes: readonly OwnFile[];
  /** What this agent does not get, or gets with a difference, and why. */
  readonly notes: readonly string[];
}

/** Agents, skills, and commands from `.signalbox/`, in the places, formats and words of an agent. */
export function textSurfaces(agent: StagedAgent, sources: SourceTexts): TextSurfaces {
  const { name, title, surfaces } = agent;
  const { agents, skills, commands, dialect } = surfaces;
  if (dialect === undefined) return { changes: [], notes: [] };
  const given =
    agents === undefined ? { changes: [], notes: [] } : agentFiles(agents, sources, { name, title, dialect });
  return {
    changes: [
      ...given.changes,
      ...(skills === undefined ? [] : skillFiles({ agent: name, surface: "skills" }, surfaces, sources)),
      ...(commands === undefined ? [] : commandFiles({ agent: name, surface: "commands" }, commands, sources)),
      ...(commands === undefined && skills !== undefined
        ? commandSkills({ agent: name, surface: "commands" }, skills.folder, sources)
        : []),
    ],
    notes: given.notes,
  };
}

const file = (purpose: Purpose, path: string, content: Uint8Array): OwnFile => ({
  kind: "file",
  path,
  content,
  executable: false,
  purpose,
});

const pathIn = ({ folder, ending, isNested }: TextFolder, source: MarkdownFile) =>
  [folder, ...(isNested === true && source.folder !== "" ? [source.folder] : []), `${source.name}${ending}`].join("/");

interface Target {
  readonly name: Purpose["agent"];
  readonly title: string;
  readonly dialect: TextDialect;
}

function agentFiles(place: TextFolder, { agents }: SourceTexts, target: Target): TextSurfaces {
  const purpose = { agent: target.name, surface: "agents" } as const;
  const changes: OwnFile[] = [];
  const notes: string[] = [];
  for (const source of agents) {
    const translated = translateAgent(source, target);
    if ("refused" in translated) {
      notes.push(`agent ${source.name} is not staged for ${target.title}: ${translated.refused}`);
      continue;
    }
    const { changed, model, note } = translated;
    if (note !== undefined) notes.push(`agent ${source.name} uses the model of the session: ${note}`);
    const isSame = Object.keys(changed).length === 0;
    const text =
      place.convert?.text({ ...source, model }) ??
      (isSame ? source.text : markdownOf({ ...source.fields, ...changed }, source.body));
    const mark = place.convert === undefined ? {} : { mark: place.convert.mark };
    changes.push({ ...file(purpose, pathIn(place, source), Buffer.from(text)), ...mark });
  }
  return { changes, notes };
}

function commandFiles(purpose: Purpose, place: TextFolder, { commands }: SourceTexts): readonly OwnFile[] {
  return commands.map((source) => file(purpose, pathIn(place, source), Buffer.from(source.text)));
}

function skillFiles(
  purpose: Purpose,
  { skills: place, dialect }: Surfaces,
  { skills }: SourceTexts,
): readonly OwnFile[] {
  return skills.flatMap(({ name, files, main }) => {
    const body = dialect?.fillsIn === true ? main.body : withMarksExplained(main.body, false);
    return files.map(({ path, bytes, executable }) => {
      const isExplained = path === "SKILL.md" && body !== main.body;
      const content = isExplained ? Buffer.from(markdownOf(main.fields, body)) : bytes;
      return { ...file(purpose, `${place?.folder ?? ""}/${name}/${path}`, content), executable };
    });
  });
}

/**
 * For agents without repository commands, commands become skills. An actual skill with the same name takes precedence.
 */
function commandSkills(purpose: Purpose, folder: string, { commands, skills }: SourceTexts): readonly OwnFile[] {
  return commands
    .filter((source) => !skills.some((skill) => skill.name === skillName(source)))
    .map((source) => {
      const name = skillName(source);
      const settings = [`name: ${name}`, `description: ${JSON.stringify(source.description)}`];
      const text = ["---", ...settings, "---", "", withMarksExplained(source.body, true), ""].join("\n");
      return file(purpose, `${folder}/${name}/SKILL.md`, Buffer.from(text));
    });
}

const NOTE = `Tool calls in this repository are judged by signalbox (rules: .signalbox/policy.yaml). A call that is denied says why and what to do instead: follow that, and do not try the same thing in another form. Files under .signalbox, .claude, .codex and .github/hooks belong to the person.`;

/** Our lines in the instruction file that an agent reads. */
export function instructionSurface(agent: GivenAgent, text: string | undefined, read: ReadFile): readonly Change[] {
  const block = text === undefined || text.trim() === "" ? NOTE : `${NOTE}\n\n${text.trim()}`;
  return [
    {
      kind: "block",
      path: agent.surfaces.instructions.choose(read),
      comment: "html",
      text: block,
      purpose: { agent: agent.name, surface: "instructions" },
    },
  ];
}
