import { dirname } from "node:path";
import { sha256 } from "../../lib/json/sha256.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { type FoundRecipe, recipeNamed } from "./find-recipe.ts";
import { planSteps } from "./plan-steps.ts";
import { readRecipe } from "./read-recipe.ts";
import type { RecipeFolder } from "./recipe-folders.ts";
import { DEFAULT_LIMITS, type Recipe, RECIPE_EXIT, type RecipeLimits } from "./recipe.ts";

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
    const parent = parentNamed(name, files.at(-1) ?? found, folders);
    files.push(parent);
    return read(parent);
  });
  planSteps(recipe);
  return { recipe, files, warnings };
}

/** What a run was begun with: the recipe and what it inherits. */
export const fileHashes = ({ files }: LoadedRecipe) => files.map(({ file, text }) => ({ file, sha256: sha256(text) }));

function parentNamed(name: string, child: FoundRecipe, folders: readonly RecipeFolder[]): FoundRecipe {
  try {
    return recipeNamed(name, [besideFolder(child), ...folders]);
  } catch (error) {
    if (!isUserError(error)) throw error;
    throw new UserError(`'extends: ${name}' does not work: ${error.message}`, {
      where: error.where ?? child.file,
      fix: `put ${name}.yaml beside ${child.file}, or name its folder with -R`,
      exitCode: RECIPE_EXIT.invalid,
      cause: error,
    });
  }
}

/** The folder of a recipe. What stands beside a file that the user named was chosen with it. */
export const besideFolder = ({ file, origin }: FoundRecipe): RecipeFolder => ({
  path: dirname(file),
  origin: origin === "path" ? "flag" : origin,
});

const MAX_PARENTS = 16;

/**
 * A recipe with everything that it inherits: the parent's steps first, the child's context over the parent's, the tags
 * of both, and limits and hooks that the child does not set itself. `findParent` throws if there is none of that name.
 */
export function extendRecipe(recipe: Recipe, findParent: (name: string) => Recipe): Recipe {
  const chain = [recipe];
  const names = new Set([recipe.name]);
  for (let [next] = [recipe.extends]; next !== undefined;) {
    const parent = findParent(next);
    if (names.has(parent.name) || chain.length > MAX_PARENTS)
      throw new UserError(`recipes extend each other: ${[...names, parent.name].join(" → ")}`, {
        where: recipe.name,
        fix: "remove one of the 'extends'",
        exitCode: EXIT.usage,
      });
    names.add(parent.name);
    chain.push(parent);
    next = parent.extends;
  }
  return chain.reduceRight((parent, child) => merge(parent, child));
}

function merge(parent: Recipe, child: Recipe): Recipe {
  return {
    ...child,
    context: { ...parent.context, ...child.context },
    contextValidation: { ...parent.contextValidation, ...child.contextValidation },
    inputs: { ...parent.inputs, ...child.inputs },
    env: { ...parent.env, ...child.env },
    tags: [...new Set([...parent.tags, ...child.tags])].toSorted(),
    recursion: isDefault(child.recursion) ? parent.recursion : child.recursion,
    hooks: {
      preStep: child.hooks.preStep ?? parent.hooks.preStep,
      postStep: child.hooks.postStep ?? parent.hooks.postStep,
      onError: child.hooks.onError ?? parent.hooks.onError,
    },
    accept: [...parent.accept, ...child.accept],
    budget: {
      usd: child.budget.usd ?? parent.budget.usd,
      seconds: child.budget.seconds ?? parent.budget.seconds,
    },
    stepTimeout: child.stepTimeout ?? parent.stepTimeout,
    steps: [...parent.steps, ...child.steps],
  };
}

const isDefault = ({ maxDepth, maxTotalSteps }: RecipeLimits) =>
  maxDepth === DEFAULT_LIMITS.maxDepth && maxTotalSteps === DEFAULT_LIMITS.maxTotalSteps;
