import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { type MarkdownFile, readMarkdown } from "../../lib/read-markdown.ts";
import { recipesIn, repositoryRecipes } from "./recipes.ts";
import { entriesIn, openPlace, type SourceFile, type SourceFiles, type SourcePlace } from "./source-files.ts";

export interface Skill {
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** True when there is more than a SKILL.md. */
  readonly hasMore: boolean;
  /** Its SKILL.md. */
  readonly main: MarkdownFile;
}

/** What a `.signalbox/` folder has for agents. */
export interface Sources {
  readonly agents: readonly MarkdownFile[];
  readonly commands: readonly MarkdownFile[];
  readonly skills: readonly Skill[];
  readonly instructions: string | undefined;
  readonly servers: Readonly<Record<string, unknown>>;
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

export const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const NAME_PROBLEM = "its name may only contain letters, digits, dots, dashes and underscores";

/**
 * Everything below `.signalbox/` of a repository, complete, with the servers, and with a command for each recipe. A
 * command or skill of the same name wins.
 */
export function readSources(root: string): Sources {
  const problems: string[] = [];
  const place = openPlace({ root, top: ".signalbox/" }, problems);
  const texts = readTexts(place);
  const recipes = recipesIn(repositoryRecipes(root));
  problems.push(...recipes.problems);
  const taken = new Set([...texts.commands.map(skillName), ...texts.skills.map(({ name }) => name)]);
  const commands = recipes.commands.map(({ text }) => text).filter(({ name }) => !taken.has(name));
  return {
    ...texts,
    commands: [...texts.commands, ...commands],
    servers: serversIn(place, ".signalbox/mcp.json"),
    problems,
  };
}

/** The texts of one such folder as a launch needs them: of each skill only its SKILL.md. */
export function readLaunchSources(place: SourcePlace): Omit<Sources, "servers"> {
  const problems: string[] = [];
  return { ...readTexts(openPlace({ ...place, onlyTexts: true }, problems)), problems };
}

function readTexts(place: SourceFiles) {
  const { top } = place;
  return {
    agents: uniqueNames(place, markdownIn(place, `${top}agents`), ({ name }) => name),
    commands: uniqueNames(place, markdownIn(place, `${top}commands`), skillName),
    skills: skillsIn(place, `${top}skills`),
    instructions: place.text(`${top}instructions.md`),
  };
}

/** The name of a command where it becomes a skill: the sub-folder is part of it. */
export const skillName = ({ folder, name }: Pick<MarkdownFile, "folder" | "name">) =>
  [...folder.split("/").filter((part) => part !== ""), name].join("-");

/** A file of notes that people put beside agents and commands. */
export const isReadme = (name: string) => /^readme$/i.test(name);

function markdownIn(place: SourceFiles, top: string): readonly MarkdownFile[] {
  return entriesIn(place, top).flatMap(({ folder, name: file }) => {
    const name = file.slice(0, -".md".length);
    if (!file.endsWith(".md") || isReadme(name)) return [];
    const path = [top, folder, file].filter((part) => part !== "").join("/");
    if (![...folder.split("/"), name].every((part) => part === "" || NAME.test(part))) {
      place.report(path, NAME_PROBLEM);
      return [];
    }
    const text = place.text(path);
    if (text === undefined) return [];
    const read = readMarkdown(name, text, folder);
    if (read.problem === undefined) return [read];
    place.report(path, read.problem);
    return [];
  });
}

/** Of two texts with one name the first counts, as agents know them by name only. */
function uniqueNames(
  place: SourceFiles,
  texts: readonly MarkdownFile[],
  nameOf: (text: MarkdownFile) => string,
): readonly MarkdownFile[] {
  const known = new Map<string, MarkdownFile>();
  for (const text of texts) {
    const first = known.get(nameOf(text));
    if (first === undefined) known.set(nameOf(text), text);
    else place.report(pathOf(text), `${pathOf(first)} has the same name; that one is used`);
  }
  return [...known.values()];
}

const pathOf = ({ folder, name }: MarkdownFile) => (folder === "" ? `${name}.md` : `${folder}/${name}.md`);

function skillsIn(place: SourceFiles, top: string): readonly Skill[] {
  return place.names(top).flatMap((name): readonly Skill[] => {
    const path = `${top}/${name}`;
    if (place.isFile(path)) return [];
    const files = place.below(path);
    const main = files.find((file) => file.path === "SKILL.md");
    if (!NAME.test(name) || main === undefined) {
      place.report(path, "a skill is a folder with a simple name that contains SKILL.md");
      return [];
    }
    const read = readMarkdown(name, main.bytes.toString("utf8"));
    if (read.problem === undefined) return [{ name, files, hasMore: place.names(path).length > 1, main: read }];
    place.report(`${path}/SKILL.md`, read.problem);
    return [];
  });
}

function serversIn(place: SourceFiles, path: string): Readonly<Record<string, unknown>> {
  const text = place.text(path);
  if (text === undefined) return {};
  try {
    const value: unknown = parseJson(text);
    if (isRecord(value) && isRecord(value["mcpServers"])) return value["mcpServers"];
  } catch {
    // Reported below.
  }
  place.report(path, 'it is not JSON of the form {"mcpServers": {…}}');
  return {};
}
