import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge.ts";
import { readMarkdown } from "../../lib/json/read-markdown.ts";
import { compileGlob, covers, hasGlobFlaw } from "../../lib/path/glob.ts";
import { isInside } from "../../lib/path/inside.ts";
import { fold, realIfThere } from "../../lib/path/real-path.ts";
import { readImports } from "../../lib/text/read-imports.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { expandPattern } from "../../lib/text/wildcard.ts";
import { listNames, nameOf, readText } from "./text-files.ts";

type InstructionKind = "user" | "repository" | "path" | "nested" | "directory" | "import";

/** A file that may hold instructions. */
export interface InstructionFile {
  readonly path: string;
  /** How it is called on the screen and for the model. */
  readonly name: string;
  readonly kind: InstructionKind;
  /** The folder that it must stay in; undefined for the user's own. */
  readonly root: string | undefined;
  /** True for a file whose `@imports` are followed. */
  readonly hasImports: boolean;
  /** True for a file whose front matter may limit it to some paths. */
  readonly hasGlobs: boolean;
}

interface FoundInstructions {
  readonly places: readonly InstructionFile[];
  readonly notLoaded: readonly NotLoaded[];
}

const REPOSITORY = [".signalbox/instructions.md", ".github/copilot-instructions.md"];

const WITH_IMPORTS = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

const GLOBBED = ".github/instructions";

/** Every file that is looked for at the start of a session, in order. */
export function instructionFiles(place: KnowledgePlace): FoundInstructions {
  const { workspace, cwd, userHome, signalboxHome } = place;
  const own = [join(userHome, ".copilot/copilot-instructions.md"), join(signalboxHome, "instructions.md")];
  const repository = (name: string, hasImports: boolean) =>
    fileAt(join(workspace, name), place, "repository", { root: workspace, hasImports });
  const globbed = globbedIn(workspace, place);
  const named = namedFolders(place);
  return {
    places: [
      ...own.map((path) => fileAt(path, place, "user")),
      ...REPOSITORY.map((name) => repository(name, false)),
      ...WITH_IMPORTS.map((name) => repository(name, true)),
      ...globbed.places,
      ...foldersBelow(workspace, cwd).map((folder) => nestedPlace(folder, place)),
      ...named.places,
    ],
    notLoaded: [...globbed.notLoaded, ...named.notLoaded],
  };
}

/** The AGENTS.md of a folder below the workspace. */
export const nestedPlace = (folder: string, place: KnowledgePlace): InstructionFile =>
  fileAt(join(folder, "AGENTS.md"), place, "nested", { root: place.workspace, hasImports: true });

const INSTALLED = new Set(["node_modules", "vendor", "target", "dist", "build"]);

/** True for folders whose content is installed or made, not the project's own. Their instructions are never read. */
export const isOthers = (name: string): boolean => name.startsWith(".") || INSTALLED.has(name);

/** The folders from below the workspace down to `folder`, which is inside it. */
export function foldersBelow(workspace: string, folder: string): readonly string[] {
  if (!isInside(folder, workspace)) return [];
  const folders: string[] = [];
  for (let at = folder; at !== workspace; at = dirname(at)) folders.unshift(at);
  return folders;
}

const fileAt = (
  path: string,
  place: KnowledgePlace,
  kind: InstructionKind,
  { root, hasImports = false, hasGlobs = false }: Partial<InstructionFile> = {},
): InstructionFile => ({ path, name: nameOf(path, place), kind, root, hasImports, hasGlobs });

/** The files below .github/instructions of a folder, sub-folders included. */
function globbedIn(root: string, place: KnowledgePlace, kind: InstructionKind = "path"): FoundInstructions {
  const top = join(root, GLOBBED);
  const { files, problems } = filesIn(top, (name) => name.endsWith(".instructions.md"));
  return {
    places: files.map((path) =>
      fileAt(path, place, kind, { root: kind === "path" ? root : undefined, hasGlobs: true }),
    ),
    notLoaded: problems.map(({ path, why }) => ({ name: nameOf(path, place), why })),
  };
}

const VARIABLES = ["COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "SIGNALBOX_INSTRUCTIONS_DIRS"];

/** What the folders hold that the user's environment names, separated by commas or colons. */
function namedFolders(place: KnowledgePlace): FoundInstructions {
  const found: FoundInstructions[] = VARIABLES.flatMap((variable) =>
    (place.environment[variable] ?? "")
      .split(/[,:]/)
      .map((folder) => folder.trim())
      .filter((folder) => folder !== "")
      .map((folder) => {
        const path = folder.startsWith("~/") ? join(place.userHome, folder.slice(2)) : folder;
        return isAbsolute(path)
          ? inNamedFolder(path, place)
          : { places: [], notLoaded: [{ name: folder, why: `${variable} needs absolute paths` }] };
      }),
  );
  return {
    places: found.flatMap(({ places }) => places),
    notLoaded: found.flatMap(({ notLoaded }) => notLoaded),
  };
}

function inNamedFolder(folder: string, place: KnowledgePlace): FoundInstructions {
  const files = ["AGENTS.md", ".github/copilot-instructions.md"].map((name) =>
    fileAt(join(folder, name), place, "directory"),
  );
  const { places, notLoaded } = globbedIn(folder, place, "directory");
  return { places: [...files, ...places], notLoaded };
}

const MAX_FILES = 200;

const MAX_FOLDERS = 500;

interface FoundFiles {
  readonly files: readonly string[];
  readonly problems: readonly { readonly path: string; readonly why: string }[];
}

/** The wanted files below a folder, in order of path. Links to folders are not followed, so there are no loops. */
export function filesIn(
  top: string,
  isWanted: (name: string) => boolean,
  skips: (name: string) => boolean = () => false,
): FoundFiles {
  const files: string[] = [];
  const problems: { path: string; why: string }[] = [];
  const folders = [top];
  for (const folder of folders) {
    const { names, isWhole } = listNames(folder);
    if (!isWhole) problems.push({ path: folder, why: `only its first ${names.length} entries were read` });
    for (const { name, kind } of names) {
      const path = join(folder, name);
      if (kind !== "folder" && isWanted(name)) files.push(path);
      if (kind === "folder" && !skips(name)) folders.push(path);
    }
    if (files.length > MAX_FILES || folders.length > MAX_FOLDERS) {
      problems.push({ path: top, why: `only ${MAX_FILES} files in ${MAX_FOLDERS} folders are read` });
      break;
    }
  }
  return { files: files.slice(0, MAX_FILES).toSorted(), problems };
}

/** Instructions that the model gets. */
export interface LoadedText {
  /** Every name of the same content, the first one first. */
  readonly names: readonly string[];
  readonly kind: InstructionKind;
  readonly text: string;
  readonly bytes: number;
  /** With `touch`, when a file that `globs` name is read or written. */
  readonly when: "start" | "touch";
  readonly globs?: readonly string[];
}

/** Instructions as they are found: each content once, bounded, with what was left out and why. */
interface InstructionShelf {
  /** Reads a file and its imports. */
  add(place: InstructionFile): void;
  readonly loaded: () => readonly LoadedText[];
  readonly notLoaded: () => readonly NotLoaded[];
}

const MAX_TOTAL = 128 * 1024;

const MAX_DEPTH = 5;

const MAX_IMPORTS = 100;

/** `known` is what the model has already. */
export function openShelf(place: KnowledgePlace, known: readonly LoadedText[] = []): InstructionShelf {
  const texts = new Map<string, LoadedText>();
  const knownKeys = new Set(known.flatMap((each) => keysOf(each)));
  const notLoaded: NotLoaded[] = [];
  const seen = new Set<string>();
  let left = MAX_TOTAL;

  const leave = (name: string, why: string, expected = false) =>
    void notLoaded.push({ name, why, ...(expected ? { expected: true } : {}) });

  const keep = (file: InstructionFile, text: string, globs: readonly string[] | undefined): void => {
    const loaded = loadedText(file, text, globs);
    const key = keysOf(loaded).find((each) => texts.has(each) || knownKeys.has(each));
    const first = key === undefined ? undefined : texts.get(key);
    if (first !== undefined && key !== undefined) texts.set(key, { ...first, names: [...first.names, file.name] });
    if (key !== undefined) return;
    if (loaded.bytes > left || texts.size === MAX_FILES)
      return leave(file.name, `instructions are limited to ${MAX_TOTAL / 1024} KB in ${MAX_FILES} files`);
    left -= loaded.bytes;
    texts.set(keysOf(loaded).at(-1) ?? "", loaded);
  };

  const add = (file: InstructionFile, depth: number): void => {
    if (seen.has(file.path)) return;
    seen.add(file.path);
    const read = readText(file.path, file.root, place.mayRead);
    if (read === undefined) return;
    if ("why" in read) return leave(file.name, read.why);
    const body: Body | { readonly why: string } = file.hasGlobs ? withGlobs(read.text) : { text: read.text };
    if ("why" in body) return leave(file.name, body.why);
    if (body.text.trim() === "") return leave(file.name, "empty", true);
    keep(file, body.text.trim(), body.globs);
    if (!file.hasImports) return;
    const names = new Set(readImports(read.text).imports);
    if (names.size > MAX_IMPORTS) leave(file.name, `only its first ${MAX_IMPORTS} imports were followed`);
    for (const name of [...names].slice(0, MAX_IMPORTS)) addImport(name, file, depth + 1);
  };

  const addImport = (name: string, from: InstructionFile, depth: number): void => {
    const path = name.startsWith("~/") ? join(place.userHome, name.slice(2)) : resolve(dirname(from.path), name);
    const shown = nameOf(path, place);
    const folder = importFolder(path, from, place);
    if (folder === undefined) return leave(shown, `imported by ${from.name} from outside the repository`);
    const kind = kindOf(path);
    if (kind === "nothing") return looksLikeFile(path) ? leave(shown, missing(from), true) : undefined;
    if (kind === "folder" || seen.has(path)) return;
    if (depth > MAX_DEPTH) return leave(shown, `imported by ${from.name}, more than ${MAX_DEPTH} imports deep`);
    add({ path, name: shown, kind: "import", root: folder.root, hasImports: true, hasGlobs: false }, depth);
  };

  return { add: (file) => add(file, 0), loaded: () => [...texts.values()], notLoaded: () => notLoaded };
}

interface Body {
  readonly text: string;
  readonly globs?: readonly string[] | undefined;
}

function withGlobs(text: string): Body | { readonly why: string } {
  const { body, fields, problem } = readMarkdown("instructions", text);
  if (problem !== undefined) return { why: problem };
  const applyTo = readApplyTo(fields["applyTo"]);
  return "why" in applyTo ? applyTo : { text: body, globs: applyTo.globs };
}

function loadedText({ name, kind }: InstructionFile, text: string, globs: readonly string[] | undefined): LoadedText {
  const when = globs === undefined ? { when: "start" as const } : { when: "touch" as const, globs };
  return { names: [name], kind, text, bytes: Buffer.byteLength(text, "utf8"), ...when };
}

/** By what a text is recognized. One that is always there needs no second copy for some paths. */
const keysOf = ({ text, globs }: LoadedText) => (globs === undefined ? [text] : [text, `${text}\0${globs.join("\0")}`]);

/**
 * The folder that an import must stay in, with links followed; none for the user's own. Undefined when it must not be
 * followed.
 */
function importFolder(
  path: string,
  { path: from, root }: InstructionFile,
  { userHome }: KnowledgePlace,
): { readonly root: string | undefined } | undefined {
  if (isInside(path, root ?? dirname(from))) return { root };
  const shared = join(userHome, ".claude");
  // Only texts: the folder also has credentials and histories.
  return isInside(path, shared) && path.endsWith(".md") ? { root: realIfThere(shared) } : undefined;
}

function kindOf(path: string): "nothing" | "folder" | "file" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch (error) {
    // What is there and cannot be read is reported when it is read.
    return ["EACCES", "ELOOP"].includes(errorCode(error) ?? "") ? "file" : "nothing";
  }
}

const looksLikeFile = (path: string) => /\.(?:md|mdc|txt)$/.test(basename(path));

const missing = ({ name }: InstructionFile) => `does not exist (imported by ${name})`;

type ApplyTo =
  /** No `globs`: it applies to everything. */
  { readonly globs?: readonly string[] } | { readonly why: string };

const MAX_GLOBS = 50;

const EVERYTHING = new Set(["**", "**/*", "/**"]);

/** What the `applyTo` of an instruction file says: globs in a text with commas, or in a list. */
function readApplyTo(value: unknown): ApplyTo {
  if (value === undefined || value === null) return {};
  const list = typeof value === "string" ? splitGlobs(value) : value;
  if (!isTexts(list)) return { why: "its applyTo is neither a text nor a list of texts" };
  const given = list.map((glob) => glob.trim()).filter((glob) => glob !== "");
  if (given.length === 0 || given.some((glob) => EVERYTHING.has(glob))) return {};
  const globs = given.flatMap((glob) => expandPattern(glob));
  const wrong = globs.find((glob) => glob.startsWith("!") || hasGlobFlaw(glob));
  if (wrong !== undefined) return { why: `its applyTo has a pattern that is not supported: ${wrong.slice(0, 80)}` };
  return globs.length > MAX_GLOBS ? { why: `its applyTo has more than ${MAX_GLOBS} patterns` } : { globs };
}

/** Whether a file of the workspace is among those that the globs name. */
export function matchesGlobs(path: string, globs: readonly string[], place: { root: string; home: string }): boolean {
  const folded = fold(path);
  return globs.some((glob) => covers(compileGlob(glob, place), folded));
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Splits at commas that are not between braces. */
function splitGlobs(text: string): readonly string[] {
  const globs = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth++;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (character === "," && depth === 0) globs.push("");
    else globs[globs.length - 1] += character;
  }
  return globs;
}
