import { dirname } from "node:path";
import { sha256 } from "../../lib/sha256.ts";
import { isUserError, UserError } from "../../lib/user-error.ts";
import { extendRecipe } from "../recipe/extend.ts";
import { planSteps } from "../recipe/plan-steps.ts";
import { readRecipe } from "../recipe/read-recipe.ts";
import { RECIPE_INVALID } from "../recipe/read-yaml.ts";
import type { Recipe } from "../recipe/recipe.ts";
import { type FoundRecipe, recipeNamed } from "./find-recipe.ts";
import type { RecipeFolder } from "./recipe-folders.ts";

export interface LoadedRecipe {
  /** With everything that it inherits. */
  readonly recipe: Recipe;
  /** The file itself, then those it extends. */
  readonly files: readonly FoundRecipe[];
  readonly warnings: readonly string[];
}

/** Reads a recipe and what it extends. Parents are looked for beside it first, then in the usual folders. */
export function loadRecipe(found: FoundRecipe, folders: readonly RecipeFolder[]): LoadedRecipe {
  const files = [found];
  const warnings: string[] = [];
  const read = (file: FoundRecipe): Recipe => {
    const { recipe, warnings: more } = readRecipe(file.text, file.file);
    warnings.push(...more);
    return recipe;
  };
  const recipe = extendRecipe(read(found), (name) => {
    const parent = parentNamed(name, { child: files.at(-1) ?? found, folders });
    files.push(parent);
    return read(parent);
  });
  planSteps(recipe);
  return { recipe, files, warnings };
}

/** What a run was begun with: the recipe and what it inherits. */
export const fileHashes = ({ files }: LoadedRecipe) => files.map(({ file, text }) => ({ file, sha256: sha256(text) }));

interface ParentSearch {
  readonly child: FoundRecipe;
  readonly folders: readonly RecipeFolder[];
}

function parentNamed(name: string, { child, folders }: ParentSearch): FoundRecipe {
  try {
    return recipeNamed(name, [besideFolder(child), ...folders]);
  } catch (error) {
    if (!isUserError(error)) throw error;
    throw new UserError(`'extends: ${name}' does not work: ${error.message}`, {
      where: error.where ?? child.file,
      fix: `put ${name}.yaml beside ${child.file}, or name its folder with -R`,
      exitCode: RECIPE_INVALID,
      cause: error,
    });
  }
}

/** The folder of a recipe. What stands beside a file that the user named was chosen with it. */
export const besideFolder = ({ file, origin }: FoundRecipe): RecipeFolder => ({
  path: dirname(file),
  origin: origin === "path" ? "flag" : origin,
});
