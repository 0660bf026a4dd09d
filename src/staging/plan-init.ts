import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isFolder } from "../lib/path/find-program.ts";
import { readMarkdown } from "../lib/json/read-markdown.ts";
import { EXIT, messageOf, UserError } from "../lib/text/user-error.ts";
import { readRecipe } from "../recipes/recipe/read-recipe.ts";
import { lookAt } from "./repository-file.ts";
import { repositoryRecipes } from "./sources/recipes.ts";
import { entriesIn, isReadme, NAME, openPlace, skillName, type SourceFiles } from "./sources/sources.ts";
import { STAGED } from "./sources/staged-agents.ts";
import type { TextFolder } from "../agents/pack/surfaces.ts";

/** A file that `init` would create. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
  /** The agent's file that this is a copy of. */
  readonly copyOf?: string;
}

export interface InitPlan {
  readonly files: readonly NewFile[];
  readonly folders: readonly string[];
  /** Instruction files, which stay where they are. */
  readonly instructions: readonly string[];
  readonly problems: readonly string[];
}

const FOLDERS = ["agents", "skills", "commands", "recipes", "hooks"].map((name) => `.signalbox/${name}`);

const surfaces = STAGED.map((agent) => agent.surfaces);

/** Where agents keep what `init` imports. For each name, the first place that has it wins. */
const IMPORTS = (["agents", "commands"] as const).flatMap((kind) =>
  surfaces.flatMap(({ [kind]: place }) =>
    place === undefined || place.convert !== undefined ? [] : [{ kind, from: place }],
  ),
);

const SKILLS = [...new Set(surfaces.flatMap(({ skills }) => (skills ? [...skills.alsoRead, skills.folder] : [])))];

const OTHER_RECIPES = repositoryRecipes("").filter(({ path }) => path !== ".signalbox/recipes");

const INSTRUCTIONS = [...new Set(surfaces.flatMap(({ instructions }) => instructions.files))];

/** What `init` would create in a repository. Existing files are never overwritten, and `stage` accepts every new one. */
export function planInit(root: string): InitPlan {
  refuseOther(join(root, ".signalbox"));
  const problems: string[] = [];
  const files = new Map<string, NewFile>();
  // Agents know a text by its name, so a second one is left out, wherever it is.
  const names = new Map<string, NewFile>();
  const add = (file: NewFile, name = file.path) => {
    if (lstatSync(join(root, file.path), { throwIfNoEntry: false }) !== undefined) return;
    const first = files.get(file.path) ?? names.get(name);
    if (first === undefined) {
      files.set(file.path, file);
      names.set(name, file);
    } else if (!first.bytes.equals(file.bytes))
      problems.push(`${file.copyOf}: ${first.copyOf} has the same name but different content; that one is used`);
  };
  add({ path: ".signalbox/policy.yaml", bytes: Buffer.from(POLICY), executable: false });
  add({ path: ".signalbox/README.md", bytes: Buffer.from(README), executable: false });
  const place = { root, add, problems, files: openPlace({ root, top: "" }, problems) };
  for (const { kind, from } of IMPORTS) importTexts(place, kind, from);
  for (const from of SKILLS) for (const name of place.files.names(from)) importSkill(place, `${from}/${name}`, name);
  for (const { path } of OTHER_RECIPES) importRecipes(place, path);
  const missing = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined;
  return {
    files: [...files.values()],
    folders: FOLDERS.filter(missing),
    instructions: INSTRUCTIONS.filter((path) => !missing(path)),
    problems,
  };
}

/** The target must be a folder, or not exist yet. */
function refuseOther(folder: string): void {
  const there = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!there || isFolder(folder)) return;
  throw new UserError(".signalbox is not a folder", {
    where: folder,
    fix: "move it away and try again",
    exitCode: EXIT.failed,
  });
}

interface Place {
  readonly root: string;
  readonly files: SourceFiles;
  readonly add: (file: NewFile, name?: string) => void;
  readonly problems: string[];
}

/** Agents and commands, from sub-folders too, where an agent must name itself: they may contain other texts. */
function importTexts(place: Place, kind: "agents" | "commands", { folder: top, ending, isNested }: TextFolder): void {
  for (const { folder, name: file } of entriesIn(place.files, top)) {
    const name = file.slice(0, -ending.length);
    if (!file.endsWith(ending) || isReadme(name)) continue;
    const from = [top, folder, file].filter((part) => part !== "").join("/");
    const parts = [...folder.split("/").filter((part) => part !== ""), name];
    const text = place.files.text(from);
    if (text === undefined) continue;
    const { problem, fields } = readMarkdown(name, text);
    if (!parts.every((part) => NAME.test(part))) place.problems.push(`${from}: its name is not a simple one`);
    else if (problem !== undefined) place.problems.push(`${from}: ${problem}`);
    else if (
      kind === "agents" &&
      isNested === true &&
      fields["name"] === undefined &&
      fields["description"] === undefined
    )
      place.problems.push(`${from}: it has no name or description between lines of ---, so it is not an agent`);
    else {
      const known = kind === "agents" ? name : skillName({ folder, name });
      copy(place, from, { to: `.signalbox/${kind}/${parts.join("/")}.md`, name: `${kind}:${known}` });
    }
  }
}

function importSkill(place: Place, from: string, name: string): void {
  if (!place.files.isFolder(from)) return;
  const main = place.files.text(`${from}/SKILL.md`);
  const problem = !NAME.test(name)
    ? "its name is not a simple one"
    : main === undefined
      ? "it contains no SKILL.md, so it is not a skill"
      : readMarkdown(name, main).problem;
  if (problem !== undefined) {
    place.problems.push(`${from}: ${problem}`);
    return;
  }
  for (const { path } of place.files.below(from))
    copy(place, `${from}/${path}`, { to: `.signalbox/skills/${name}/${path}` });
}

/** Valid recipes, with the ones that they name. */
function importRecipes(place: Place, top: string): void {
  for (const name of place.files.names(top)) {
    const from = `${top}/${name}`;
    if (!/^[\w-]+\.ya?ml$/.test(name)) continue;
    const text = place.files.text(from);
    if (text === undefined) continue;
    try {
      readRecipe(text, from);
      copy(place, from, { to: `.signalbox/recipes/${name}` });
    } catch (error) {
      place.problems.push(`${from}: ${messageOf(error)}`);
    }
  }
}

function copy(
  { root, add, problems }: Place,
  from: string,
  { to, name }: { readonly to: string; readonly name?: string },
): void {
  try {
    const { bytes, mode } = lookAt(root, from);
    if (bytes !== undefined) add({ path: to, bytes, executable: (mode & 0o100) !== 0, copyOf: from }, name);
  } catch (error) {
    problems.push(`${from}: ${messageOf(error)}`);
  }
}

/** The first policy of a repository. */
const POLICY = `# The rules for coding agents in this repository. See docs/guard.md in signalbox.
# Until it is trusted on a machine (signalbox trust), this file can only tighten the rules there.
version: 1

# default: ask about anything no rule allows. ci: deny it. read-only: allow no changes.
extends: default

# rules:
#   - id: deploy-preview
#     argv: [./deploy.sh, [preview, staging]]
#     verdict: allow
#     because: previews need no approval
#     match: ["./deploy.sh preview"]
#     not_match: ["./deploy.sh production"]

# paths: { deny_read: ["secrets/**"], deny_write: ["migrations/**"] }
# network: { mode: allowlist, allow: ["api.example.com"] }
# tools: { deny: ["WebSearch"], require_approval_for: ["mcp:github/*"] }
`;

/** Explains the folder. */
const README = `# .signalbox

signalbox's files for this repository. \`signalbox claude\`, \`codex\` and others give agents, skills, commands and instructions to the agent they start. \`signalbox stage\` puts everything where agents look for it that are started without signalbox.

- \`policy.yaml\`: the rules for tool calls
- \`agents/NAME.md\`: sub-agents, with \`name\` and \`description\` between lines of \`---\`
- \`skills/NAME/SKILL.md\`: skills
- \`commands/NAME.md\`: commands; skills for agents that have no commands
- \`recipes/NAME.yaml\`: workflows; agents get each as a command that calls \`signalbox recipe run NAME\`; they run only once trusted: \`signalbox trust\`
- \`hooks/EVENT\`: programs that run on an event (\`tool-before\`, \`agent-stop\`, ...); JSON in, JSON out; they run only once trusted: \`signalbox trust\`
- \`instructions.md\` (optional): text for every agent
- \`mcp.json\` (optional): \`{"mcpServers": {...}}\` for every agent
- \`staged.json\`: what \`signalbox stage\` wrote; commit it
`;
