import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstFew } from "../lib/text/printable.ts";
import type { GivenInstructions, GivenKind, GivenText, GivenTexts } from "../contract/agent-install.ts";
import type { TextsPlace } from "../hooks/install/guarded-start.ts";
import { hasBlock } from "./marked-block.ts";
import { lookAt } from "./repository-file.ts";
import type { MarkdownFile } from "../lib/json/read-markdown.ts";
import { readLaunchSources, type Skill, skillName, type SourceFolder, type SourceTexts } from "./sources/sources.ts";
import type { RecipeFolder } from "../recipes/recipe/recipe-folders.ts";
import { type RecipeCommands, recipesIn } from "./sources/recipes.ts";
import { GIVEN, type GivenAgent } from "./sources/staged-agents.ts";
import { translateAgent, withMarksExplained } from "./sources/translate-text.ts";
import { instructionSurface } from "./text-surface.ts";

const MAX_TEXTS = 200;

/**
 * What `.signalbox/` of the repository and of the user's home give an agent in one start, and the recipes in `folders`
 * that it may start. Of two texts with one name the repository's counts. Says in a few lines what is left out. `hasTexts`
 * is false when there are only recipes.
 */
export function launchTexts(
  name: string,
  place: TextsPlace,
  folders: readonly RecipeFolder[],
  hasTexts: boolean,
): GivenTexts | undefined {
  const agent = GIVEN.find((known) => known.name === name);
  if (agent?.surfaces.dialect === undefined) {
    if (hasTexts)
      place.warn(`a launch of ${name} gives it no agents, skills, commands or instructions from .signalbox`);
    return undefined;
  }
  const problems: string[] = [];
  const read = (source: SourceFolder) => {
    const texts = readLaunchSources(source);
    problems.push(...texts.problems);
    return given(agent, texts, source, problems);
  };
  const repository = read({ root: place.workspace, top: ".signalbox/", mayRead: place.mayRead });
  const own = read({ root: place.home, top: "", isOwn: true });
  const replaced: string[] = [];
  const merged = (kind: GivenKind) => {
    const { texts, names } = merge(kind, repository[kind], own[kind]);
    replaced.push(...names);
    if (texts.length > MAX_TEXTS)
      problems.push(`${kind}: only the first ${MAX_TEXTS} of ${texts.length} fit into a launch`);
    return texts.slice(0, MAX_TEXTS);
  };
  const recipes = launchRecipes(place, folders);
  const texts = {
    agents: merged("agents"),
    commands: merged("commands"),
    skills: merged("skills"),
    instructions: [...own.instructions, ...unstaged(agent, repository.instructions, place.workspace)],
  };
  problems.push(...recipes.problems);
  if (replaced.length > 0)
    place.warn(`this repository replaces texts of the same name in ${place.home}: ${shortList(replaced)}`);
  if (problems.length > 0) place.warn(`left out of what .signalbox gives ${agent.title}: ${shortList(problems)}`);
  return withRecipes(texts, agent, recipes);
}

/** Adds the recipes, as commands or skills. Any other text of the same name wins. */
function withRecipes(texts: GivenTexts, agent: GivenAgent, recipes: RecipeCommands): GivenTexts {
  const known = new Set([...texts.commands, ...texts.skills].map(skillName));
  const commands = recipes.commands
    .filter(({ text }) => !known.has(text.name))
    .map(({ text, files }): readonly [MarkdownFile, GivenText] => [
      text,
      // Its text is in no file, so it counts as the user's own and is passed on as a whole.
      { ...text, from: files[0]?.file ?? "", isOwn: true },
    ]);
  if (agent.surfaces.commands !== undefined)
    return { ...texts, commands: [...texts.commands, ...commands.map(([, command]) => command)] };
  return { ...texts, skills: [...texts.skills, ...commands.map(([text, command]) => commandSkill(text, command))] };
}

/** The recipes that would run if the agent named them: one that a repository brings must be trusted. */
function launchRecipes({ mayRead, trusts }: TextsPlace, folders: readonly RecipeFolder[]): RecipeCommands {
  const { commands, problems } = recipesIn(folders);
  const refused = new Map<string, string>();
  for (const { text, files } of commands)
    for (const { file, origin, text: content } of files) {
      if (origin !== "repository") continue;
      if (!mayRead(file)) refused.set(text.name, "the policy denies reading it");
      else if (!trusts(file, content)) refused.set(text.name, "it is not trusted; to trust it: signalbox trust");
    }
  return {
    commands: commands.filter(({ text }) => !refused.has(text.name)),
    problems: [...problems, ...[...refused].map(([name, because]) => `recipes/${name}: ${because}`)],
  };
}

function given(agent: GivenAgent, texts: SourceTexts, source: SourceFolder, problems: string[]): GivenTexts {
  const { commands, skills, dialect } = agent.surfaces;
  const asSkills = commands === undefined && skills !== undefined;
  const asGiven = (text: MarkdownFile, kind: GivenKind) => givenText(text, agent, kind, source);
  const path = join(source.root, source.top, "instructions.md");
  const { instructions } = texts;
  const fills = dialect?.fillsIn === true;
  return {
    agents: texts.agents.flatMap((text) => agentText(text, agent, source, problems)),
    commands: commands === undefined ? [] : texts.commands.map((text) => asGiven(text, "commands")),
    skills: [
      ...texts.skills.map((skill) => skillText(skill, asGiven(skill.main, "skills"), fills)),
      ...(asSkills ? texts.commands.map((text) => commandSkill(text, asGiven(text, "commands"))) : []),
    ],
    instructions:
      instructions === undefined || instructions.trim() === ""
        ? []
        : [{ path, text: instructions.trim(), isOwn: source.isOwn === true }],
  };
}

/** Keys of commands and skills that only describe them, or take something away. */
const PLAIN = {
  "argument-hint": "string",
  "disable-model-invocation": "boolean",
  "user-invocable": "boolean",
} as const;

function givenText(text: MarkdownFile, agent: GivenAgent, kind: GivenKind, source: SourceFolder): GivenText {
  const { name, folder, description, body, fields } = text;
  const model = typeof fields["model"] === "string" ? agent.surfaces.dialect?.model(fields["model"]) : undefined;
  const plain = Object.entries(PLAIN).flatMap(([key, type]) =>
    typeof fields[key] === type ? [[key, fields[key]]] : [],
  );
  const file = kind === "skills" ? `skills/${name}/SKILL.md` : `${kind}/${folder === "" ? "" : `${folder}/`}${name}.md`;
  return {
    name,
    folder,
    description,
    body,
    fields: { description, ...Object.fromEntries(plain), ...(model === undefined ? {} : { model }) },
    from: join(source.root, source.top, file),
    isOwn: source.isOwn === true,
  };
}

function agentText(
  text: MarkdownFile,
  agent: GivenAgent,
  source: SourceFolder,
  problems: string[],
): readonly GivenText[] {
  const { title, surfaces } = agent;
  const refuse = (because: string) => {
    problems.push(`agents/${text.name}: ${because}`);
    return [];
  };
  if (surfaces.dialect === undefined) return [];
  const translated = translateAgent(text, { title, dialect: surfaces.dialect });
  if ("refused" in translated) return refuse(translated.refused);
  // Not honored for an agent of a plugin.
  if (text.fields["permissionMode"] === "plan") return refuse("its permissionMode cannot be given to a launch");
  const { changed, model } = translated;
  const { tools, disallowedTools } = { ...text.fields, ...changed };
  const whole = givenText(text, agent, "agents", source);
  const fields = { name: text.name, description: text.description, tools, disallowedTools, model };
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [{ ...whole, fields: Object.fromEntries(named) }];
}

/** Tools cannot read the private folder of a launch, so the text says where the other files of the skill are. */
function skillText({ name, hasMore }: Skill, text: GivenText, fills: boolean): GivenText {
  const explained = fills ? text.body : withMarksExplained(text.body, false);
  const body = hasMore ? `The other files of this skill are in ${dirname(text.from)}.\n\n${explained}` : explained;
  return { ...text, name, fields: { name, ...text.fields }, body };
}

function commandSkill(command: MarkdownFile, text: GivenText): GivenText {
  const name = skillName(command);
  const { "argument-hint": _hint, ...fields } = text.fields;
  return { ...text, name, folder: "", fields: { name, ...fields }, body: withMarksExplained(text.body, true) };
}

/** The texts of both, and the names of those of the user that the repository replaces. */
function merge(kind: GivenKind, repository: readonly GivenText[], own: readonly GivenText[]) {
  const known = new Map<string, GivenText>();
  const names: string[] = [];
  for (const text of [...repository, ...own]) {
    const name = kind === "commands" && text.folder !== "" ? `${text.folder}/${text.name}` : text.name;
    const first = known.get(name);
    if (first === undefined) known.set(name, text);
    else if (!first.isOwn && text.isOwn) names.push(`${kind}/${name}`);
  }
  return { texts: [...known.values()], names };
}

/** In a staged repository the agent reads the instructions in its own file. */
function unstaged(agent: GivenAgent, instructions: readonly GivenInstructions[], workspace: string) {
  const root = realpathSync(workspace);
  const read = (path: string) => {
    try {
      return lookAt(root, path).bytes?.toString("utf8");
    } catch {
      return undefined;
    }
  };
  return instructions.filter(({ text }) =>
    instructionSurface(agent, text, read).every(
      (change) => change.kind !== "block" || !hasBlock(read(change.path) ?? "", change),
    ),
  );
}

const MAX_NAMED = 5;

const shortList = (items: readonly string[]) => firstFew(items, MAX_NAMED).join("; ");
