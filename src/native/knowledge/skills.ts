import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { KnowledgePlace, KnownSkill, NotLoaded } from "../../contract/knowledge.ts";
import { isInside } from "../../lib/path/inside.ts";
import { readMarkdown } from "../../lib/json/read-markdown.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { listNames, nameOf, readText } from "./text-files.ts";

/** What the user's settings say about skills. */
export interface SkillSettings {
  /** More folders of skills, absolute or relative to the workspace. They come first. */
  readonly directories?: readonly string[] | undefined;
  /** Names of skills that are not offered. */
  readonly disabled?: readonly string[] | undefined;
}

interface LoadedSkills {
  readonly skills: readonly KnownSkill[];
  readonly notLoaded: readonly NotLoaded[];
}

const MAX_SKILLS = 100;
const MAX_DESCRIPTION = 250;
const NAME = /^[A-Za-z0-9][\w.:-]{0,63}$/;
const FOLDERS = [".signalbox/skills", ".agents/skills", ".claude/skills", ".github/skills"];
const HOME_FOLDERS = [".agents/skills", ".claude/skills", ".copilot/skills"];

/** The skills of the repository and of the user, in order of place. Of two with one name the first is used. */
export function loadSkills(place: KnowledgePlace, settings: SkillSettings = {}): LoadedSkills {
  const skills = new Map<string, KnownSkill>();
  const notLoaded: NotLoaded[] = [];
  const disabled = new Set(settings.disabled);
  for (const folder of skillFolders(place, settings)) {
    for (const { name: entry, kind } of listNames(folder).names) {
      if (kind === "file" || entry.startsWith(".")) continue;
      const found = readSkill(join(folder, entry, "SKILL.md"), entry, place);
      if (found === undefined) continue;
      const leave = (why: string, expected = false) =>
        notLoaded.push({
          name: nameOf(join(folder, entry), place),
          why,
          ...(expected ? { expected: true as const } : {}),
        });
      if ("why" in found) leave(found.why, found.expected === true);
      else if (disabled.has(found.name)) leave("disabled by the settings", true);
      else if (skills.has(found.name)) leave(`${skills.get(found.name)?.file} has the same name and comes first`, true);
      else if (skills.size === MAX_SKILLS) leave(`at most ${MAX_SKILLS} skills are offered`);
      else skills.set(found.name, found);
    }
  }
  return { skills: [...skills.values()], notLoaded };
}

function skillFolders({ workspace, userHome, signalboxHome }: KnowledgePlace, { directories = [] }: SkillSettings) {
  const given = directories.map((folder) => {
    const path = folder.startsWith("~/") ? join(userHome, folder.slice(2)) : folder;
    return isAbsolute(path) ? path : join(workspace, path);
  });
  const own = [join(signalboxHome, "skills"), ...HOME_FOLDERS.map((folder) => join(userHome, folder))];
  return new Set([...given, ...FOLDERS.map((folder) => join(workspace, folder)), ...own]);
}

type Unusable = { readonly why: string; readonly expected?: true };

function readSkill(file: string, folderName: string, place: KnowledgePlace): KnownSkill | Unusable | undefined {
  const { workspace, mayRead } = place;
  const isOwn = !isInside(file, workspace);
  const root = isOwn ? undefined : workspace;
  const read = readText(file, root, mayRead);
  if (read === undefined || "why" in read) return read;
  const { fields, description, problem } = readMarkdown(folderName, read.text);
  if (problem !== undefined) return { why: problem };
  const given = fields["name"];
  const name = typeof given === "string" && given.trim() !== "" ? given.trim() : folderName;
  if (!NAME.test(name)) return { why: "its name may only contain letters, digits, dots, dashes and underscores" };
  if (fields["disable-model-invocation"] === true)
    return { why: "its front matter keeps it from the model (disable-model-invocation)", expected: true };
  return {
    name,
    description: shortLine(description, MAX_DESCRIPTION),
    file: nameOf(file, place),
    folder: dirname(realpathSync(file)),
    isOwn,
    read() {
      const now = readText(file, root, mayRead) ?? { why: "it is no longer there" };
      return "why" in now ? now : { text: readMarkdown(folderName, now.text).body };
    },
  };
}

const MAX_LIST = 8 * 1024;

/** The skills as the system prompt lists them, in few words. Undefined when there are none. */
export function showSkills(skills: readonly KnownSkill[]): string | undefined {
  if (skills.length === 0) return undefined;
  const lines: string[] = [];
  let left = MAX_LIST;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${description}`;
    // When space runs out, the name alone still allows its use.
    const shown = line.length < left ? line : `- ${name}`;
    lines.push(shown);
    left -= shown.length + 1;
  }
  return `Skills are instructions for certain kinds of work. When one fits the task, read it with the tool \`skill\` before you begin:\n${lines.join("\n")}`;
}
