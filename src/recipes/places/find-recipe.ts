import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../../lib/error-code.ts";
import { isInside } from "../../lib/inside.ts";
import { messageOf } from "../../lib/message-of.ts";
import { nearest } from "../../lib/nearest.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";
import { MAX_RECIPE_BYTES, RECIPE_INVALID } from "../recipe/read-yaml.ts";
import type { RecipeFolder, RecipeOrigin } from "./recipe-folders.ts";

/** The exit code for a recipe that does not exist. */
export const RECIPE_NOT_FOUND = 3;

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
      exitCode: RECIPE_NOT_FOUND,
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
    exitCode: RECIPE_NOT_FOUND,
  });
}

export interface ListedRecipe extends RecipeFolder {
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

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // Most of these folders do not exist. One that cannot be read has no recipes for us either.
    return [];
  }
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
    exitCode: RECIPE_NOT_FOUND,
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
      exitCode: isMissing ? RECIPE_NOT_FOUND : RECIPE_INVALID,
      cause,
    });
  }
}
