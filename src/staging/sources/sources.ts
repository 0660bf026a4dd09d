import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { type MarkdownFile, readMarkdown } from "../../lib/json/read-markdown.ts";
import { isInside } from "../../lib/path/inside.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { recipesIn, repositoryRecipes } from "./recipes.ts";

export interface Skill {
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** True when there is more than a SKILL.md. */
  readonly hasMore: boolean;
  /** Its SKILL.md. */
  readonly main: MarkdownFile;
}

/** The texts in a `.signalbox/` folder. */
export interface SourceTexts {
  readonly agents: readonly MarkdownFile[];
  readonly commands: readonly MarkdownFile[];
  readonly skills: readonly Skill[];
  readonly instructions: string | undefined;
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** All that such a folder has for agents. */
interface Sources extends SourceTexts {
  readonly servers: Readonly<Record<string, unknown>>;
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
export function readLaunchSources(place: SourceFolder): SourceTexts {
  const problems: string[] = [];
  return { ...readTexts(openPlace(place, problems, true)), problems };
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
export const skillName = ({ folder, name }: { readonly folder: string; readonly name: string }) =>
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

/** A folder with texts for agents. */
export interface SourceFolder {
  /** The repository, or the user's signalbox folder. */
  readonly root: string;
  /** Where the texts are below it; empty, or ends with `/`. */
  readonly top: string;
  /** True for the user's own folder, whose links may lead anywhere. */
  readonly isOwn?: boolean;
  /** False for a path that the policy keeps from being read. */
  readonly mayRead?: (path: string) => boolean;
}

interface SourceFile {
  /** Relative to its skill. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** Reads such a folder. Paths are relative to the root, with `/`. Whatever must not be read is reported. */
export interface SourceFiles {
  readonly top: string;
  readonly names: (folder: string) => readonly string[];
  readonly isFile: (path: string) => boolean;
  readonly isFolder: (path: string) => boolean;
  readonly text: (path: string) => string | undefined;
  readonly below: (folder: string) => readonly SourceFile[];
  readonly report: (path: string, because: string) => void;
}

const MAX_BYTES = 4 * 1024 * 1024;

const MAX_LAUNCH_BYTES = 256 * 1024;

const MAX_FILES = 1000;

const MAX_DEPTH = 8;

/** With `onlyTexts`, reads of skills SKILL.md only, and no text that is too long for a launch. */
export function openPlace(place: SourceFolder, problems: string[], onlyTexts = false): SourceFiles {
  const { root, top } = place;
  const report = (path: string, because: string) => void problems.push(`${path}: ${because}`);
  const bytes = (path: string) => {
    try {
      return bytesAt(place, path, onlyTexts ? MAX_LAUNCH_BYTES : MAX_BYTES);
    } catch (error) {
      report(path, messageOf(error));
      return undefined;
    }
  };
  return {
    top,
    report,
    names: (folder) => shownNames(join(root, folder)),
    isFile: (path) => lstatSync(join(root, path)).isFile(),
    isFolder: (path) => isFolder(place, path),
    text: (path) => textOf(bytes(path), () => report(path, "it is not UTF-8")),
    below(folder) {
      if (onlyTexts) {
        const main = bytes(`${folder}/SKILL.md`);
        return main === undefined ? [] : [{ path: "SKILL.md", bytes: main, executable: false }];
      }
      const files = filesBelow(place, folder, "");
      if (files.length > MAX_FILES) report(folder, `it has more than ${MAX_FILES} files`);
      if (files.length > MAX_FILES) return [];
      return files.flatMap(({ path, executable }) => {
        const content = bytes(`${folder}/${path}`);
        return content === undefined ? [] : [{ path, bytes: content, executable }];
      });
    },
  };
}

/** The files of a folder and of its sub-folders, each with the sub-folder it is in. Links to folders are not followed. */
export function entriesIn(
  place: SourceFiles,
  top: string,
  folder = "",
): readonly { readonly folder: string; readonly name: string }[] {
  const at = folder === "" ? top : `${top}/${folder}`;
  if (folder.split("/").length > MAX_DEPTH) {
    place.report(at, `it is more than ${MAX_DEPTH} folders deep`);
    return [];
  }
  const entries = place.names(at).flatMap((name) => {
    const below = folder === "" ? name : `${folder}/${name}`;
    return place.isFolder(`${top}/${below}`) ? entriesIn(place, top, below) : [{ folder, name }];
  });
  if (folder !== "" || entries.length <= MAX_FILES) return entries;
  place.report(top, `it has more than ${MAX_FILES} files; the first ${MAX_FILES} are used`);
  return entries.slice(0, MAX_FILES);
}

/** The user's own folders may be links. */
function isFolder({ root, isOwn }: SourceFolder, path: string): boolean {
  const look = isOwn === true ? statSync : lstatSync;
  return look(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesBelow({ root }: SourceFolder, top: string, below: string): { path: string; executable: boolean }[] {
  const files: { path: string; executable: boolean }[] = [];
  const folders = [below];
  for (const folder of folders)
    for (const name of shownNames(join(root, top, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const stat = lstatSync(join(root, top, path));
      if (stat.isDirectory()) folders.push(path);
      else files.push({ path, executable: (stat.mode & 0o100) !== 0 });
      if (files.length > MAX_FILES) return files;
    }
  return files;
}

const shownNames = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => !name.startsWith("."))
    .toSorted();

function bytesAt({ root, isOwn, mayRead }: SourceFolder, path: string, most: number): Buffer | undefined {
  const whole = join(root, path);
  if (lstatSync(whole, { throwIfNoEntry: false }) === undefined) return undefined;
  const real = realpathSync(whole);
  if (isOwn !== true && !isInside(real, realpathSync(root))) throw new Error("it is a link out of the repository");
  if (mayRead !== undefined && (!mayRead(whole) || !mayRead(real))) throw new Error("the policy denies reading it");
  return readBounded(real, most).bytes;
}

function textOf(bytes: Buffer | undefined, report: () => void): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    report();
    return undefined;
  }
}
