import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { readBounded, readBoundedText } from "../../lib/files/read-file.ts";
import { isInside } from "../../lib/path/inside.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { errorCode, messageOf, UserError } from "../../lib/text/user-error.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { MAX_RECIPE_BYTES, RECIPE_EXIT } from "./recipe.ts";
import type { RecipeFolder, RecipeOrigin } from "./recipe-folders.ts";

const ENDINGS = [".yaml", ".yml"] as const;

/** A recipe file. `path` is the origin of one that the user named by its path. */
export interface FoundRecipe {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly origin: RecipeOrigin | "path";
}

/** A path, as opposed to a name: it has a slash or the ending of a recipe file. */
export const isRecipePath = (word: string): boolean =>
  word.includes("/") || ENDINGS.some((ending) => word.endsWith(ending));

/** The recipe that a word on the command line means. */
export function findByWord(word: string | undefined, folders: readonly RecipeFolder[]): FoundRecipe {
  if (word === undefined)
    throw new UserError("no recipe given", {
      where: "signalbox recipe",
      fix: "pass a name or a file; 'signalbox recipe list' shows the names",
      exitCode: RECIPE_EXIT.badArguments,
    });
  return isRecipePath(word) ? recipeAt(word, currentFolder()) : recipeNamed(word, folders);
}

/** The recipe at a path that the user gave. */
export function recipeAt(path: string, cwd: string): FoundRecipe {
  const file = resolve(cwd, path);
  return { name: basename(file).replace(/\.ya?ml$/, ""), file, text: readText(file), origin: "path" };
}

/** The recipe with this name in the first folder that has one. */
export function recipeNamed(name: string, folders: readonly RecipeFolder[]): FoundRecipe {
  if (!/^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+)*$/.test(name) || name.includes("..") || name.length > 128)
    throw new UserError(`not a recipe name: '${name.slice(0, 128)}'`, {
      where: name.slice(0, 128),
      fix: "use letters, digits, '-' and '_', or pass the path of a file",
      exitCode: RECIPE_EXIT.notFound,
    });
  for (const folder of folders) {
    for (const ending of ENDINGS) {
      const file = join(folder.path, `${name}${ending}`);
      if (!existsSync(file)) continue;
      refuseEscape(file, folder);
      return { name, file, text: readText(file), origin: folder.origin };
    }
  }
  const close = nearest(name, [...new Set(listRecipes(folders).map((found) => found.name))]);
  throw new UserError(`there is no recipe '${name}'${close === undefined ? "" : ` (did you mean '${close}'?)`}`, {
    where: `looked in ${folders.map(({ path }) => path).join(", ")}`,
    fix: "'signalbox recipe list' shows all of them; a file is given by its path: ./NAME.yaml",
    exitCode: RECIPE_EXIT.notFound,
  });
}

interface ListedRecipe extends RecipeFolder {
  readonly name: string;
  readonly file: string;
  /** The folder of a recipe with the same name that is used instead. */
  readonly hiddenBy: string | undefined;
}

/** All recipes in the order in which they are found. */
export function listRecipes(folders: readonly RecipeFolder[]): readonly ListedRecipe[] {
  const first = new Map<string, string>();
  return folders.flatMap((folder) => {
    const names = namesIn(folder.path).filter((name) => /^(?![._]).+\.ya?ml$/.test(name));
    return names.toSorted(yamlFirst).map((fileName) => {
      const name = fileName.replace(/\.ya?ml$/, "");
      const file = join(folder.path, fileName);
      const hiddenBy = first.get(name);
      if (hiddenBy === undefined) first.set(name, dirname(file));
      return { ...folder, name, file, hiddenBy };
    });
  });
}

const yamlFirst = (one: string, other: string) => {
  const [a, b] = [one, other].map((name) => name.replace(/\.ya?ml$/, ""));
  if (a === b) return one.endsWith(".yaml") ? -1 : 1;
  return (a ?? "") < (b ?? "") ? -1 : 1;
};

/** A link in a repository must not bring in a file from elsewhere. */
function refuseEscape(file: string, { path, origin }: RecipeFolder): void {
  if (origin !== "repository" || isInside(realpathSync(file), realpathSync(path))) return;
  throw new UserError("this recipe is a link to a file outside its folder", {
    where: file,
    fix: "pass the path of the file itself, if you trust it",
    exitCode: RECIPE_EXIT.notFound,
  });
}

function readText(file: string): string {
  try {
    const { bytes } = readBounded(file, MAX_RECIPE_BYTES);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    const isMissing = ["ENOENT", "ENOTDIR", "EACCES"].includes(errorCode(cause) ?? "");
    throw new UserError(isMissing ? "the recipe cannot be read" : `the recipe cannot be used: ${messageOf(cause)}`, {
      where: file,
      fix: isMissing
        ? "pass a file that exists and is readable"
        : `pass a text file of at most ${MAX_RECIPE_BYTES} bytes`,
      exitCode: isMissing ? RECIPE_EXIT.notFound : RECIPE_EXIT.invalid,
      cause,
    });
  }
}

const FOLDERS = [".signalbox/agents", ".claude/agents", "amplifier-bundle/agents"];

const HOME_FOLDERS = [".signalbox/agents", ".amplihack/.claude/agents", ".claude/agents"];

const MAX_BYTES = 256 * 1024;

/** `signalbox:name` is one of ours: nothing in a repository can take its place. */
const OURS = "signalbox";

export interface PersonaSearch {
  readonly workspace: string;
  /** The folder with the personas that signalbox brings. */
  readonly bundled: string;
}

/**
 * The instructions of a persona that a recipe names: `name`, `bundle:name` or `bundle:category:name`. Undefined when no
 * file has them. The front matter is for other tools and is left out.
 */
export function findPersona(name: string, { workspace, bundled }: PersonaSearch): string | undefined {
  const parts = name.split(":");
  if (parts.some((part) => !/^[A-Za-z0-9_-]+$/.test(part)) || parts.length > 3) return undefined;
  const last = parts.at(-1) ?? "";
  const paths = [parts.join("/"), parts.slice(1).join("/"), last].filter((path) => path !== "");
  const others = [
    ...FOLDERS.map((folder) => ({ base: join(workspace, folder), isStrange: true })),
    ...HOME_FOLDERS.map((folder) => ({ base: join(homedir(), folder), isStrange: false })),
  ];
  const bases = [...(parts[0] === OURS ? [] : others), { base: bundled, isStrange: false }];
  for (const { base, isStrange } of bases) {
    for (const path of new Set(paths)) {
      const text = textAt(join(base, `${path}.md`), isStrange ? base : undefined);
      if (text !== undefined) return text.replace(/^---\r?\n[^]*?\n---\r?\n/, "").trim();
    }
  }
  return undefined;
}

/** A link in a repository must not bring a file from elsewhere, such as a key, into a prompt. */
function textAt(path: string, folder: string | undefined): string | undefined {
  try {
    if (folder !== undefined && !isInside(realpathSync(path), realpathSync(folder))) return undefined;
    return readBoundedText(path, MAX_BYTES);
  } catch {
    // Not there; the next place is tried.
    return undefined;
  }
}
