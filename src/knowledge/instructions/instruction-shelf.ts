import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../../lib/error-code.ts";
import { isInside } from "../../lib/inside.ts";
import { readImports } from "../../lib/read-imports.ts";
import { readMarkdown } from "../../lib/read-markdown.ts";
import type { KnowledgePlace, NotLoaded } from "../../contract/knowledge-place.ts";
import { nameOf } from "../texts/name-of.ts";
import { readText } from "../texts/read-text.ts";
import { readApplyTo } from "./apply-to.ts";
import type { InstructionKind, InstructionPlace } from "./instruction-places.ts";

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
export interface InstructionShelf {
  /** Reads a file and its imports. */
  add(place: InstructionPlace): void;
  readonly loaded: () => readonly LoadedText[];
  readonly notLoaded: () => readonly NotLoaded[];
}

const MAX_TOTAL = 128 * 1024;
const MAX_FILES = 200;
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

  const keep = (file: InstructionPlace, text: string, globs: readonly string[] | undefined): void => {
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

  const add = (file: InstructionPlace, depth: number): void => {
    if (seen.has(file.path)) return;
    seen.add(file.path);
    const read = readText(file.path, { root: file.root, mayRead: place.mayRead });
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

  const addImport = (name: string, from: InstructionPlace, depth: number): void => {
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

function loadedText({ name, kind }: InstructionPlace, text: string, globs: readonly string[] | undefined): LoadedText {
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
  { path: from, root }: InstructionPlace,
  { userHome }: KnowledgePlace,
): { readonly root: string | undefined } | undefined {
  if (isInside(path, root ?? dirname(from))) return { root };
  const shared = join(userHome, ".claude");
  // Only texts: the folder also has credentials and histories.
  return isInside(path, shared) && path.endsWith(".md") ? { root: realFolder(shared) } : undefined;
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
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
const missing = ({ name }: InstructionPlace) => `does not exist (imported by ${name})`;
