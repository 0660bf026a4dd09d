import { UserError } from "../../lib/user-error.ts";
import type { LoadedRecipe } from "../places/load-recipe.ts";
import { isBundled } from "../places/recipe-trust.ts";
import { RECIPE_INVALID } from "../recipe/read-yaml.ts";
import type { Step } from "../recipe/recipe.ts";

/** A recipe and every recipe that its steps run, each once. `find` throws when one does not exist or may not run. */
export function wholeRecipe(
  first: LoadedRecipe,
  find: (name: string, parent: LoadedRecipe) => LoadedRecipe,
): readonly LoadedRecipe[] {
  const found = new Map([[first.files[0]?.file, first]]);
  // A map can be extended while it is iterated.
  for (const [, parent] of found) {
    for (const { recipe } of parent.recipe.steps) {
      const child = recipe === undefined ? undefined : find(recipe, parent);
      if (child !== undefined && !found.has(child.files[0]?.file)) found.set(child.files[0]?.file, child);
    }
  }
  return [...found.values()];
}

/** Steps that start an agent; a recovery is one too. */
export function agentSteps(recipes: readonly LoadedRecipe[]): readonly string[] {
  return recipes.flatMap(({ recipe }) =>
    recipe.steps.filter((step) => step.type === "agent" || step.recoveryOnFailure).map(({ id }) => id),
  );
}

/** Refuses what the external runner would ignore although the recipe depends on it, and reports what does less harm. */
export function checkFields(recipes: readonly LoadedRecipe[], warn: (text: string) => void): void {
  for (const { recipe, files } of recipes) {
    if (isBundled(files))
      throw new UserError(`the bundled recipe '${recipe.name}' needs our own runner`, {
        where: files[0]?.file ?? recipe.name,
        fix: "run the recipe with --engine native",
        exitCode: RECIPE_INVALID,
      });
    const needed = [
      ...recipe.steps.flatMap((step) => neededFields(step).map((field) => `${step.id}: ${field}`)),
      ...(recipe.accept.length > 0 ? ["accept"] : []),
    ];
    if (needed.length > 0)
      throw new UserError(`the external runner does not know these fields: ${needed.join(", ")}`, {
        where: files[0]?.file ?? recipe.name,
        fix: "run the recipe with --engine native",
        exitCode: RECIPE_INVALID,
      });
    const ignored = [
      ...recipe.steps.flatMap((step) => ignoredFields(step).map((field) => `${step.id}: ${field}`)),
      ...(Object.keys(recipe.env).length > 0 ? ["env"] : []),
      ...(recipe.budget.usd === undefined ? [] : ["budget: usd"]),
    ];
    if (ignored.length > 0) warn(`warning: the external runner ignores these fields: ${ignored.join(", ")}`);
  }
}

const neededFields = ({ type, accept, forEach, backend }: Step) => [
  ...(backend === undefined ? [] : ["backend"]),
  ...(type === "approval" ? ["approval"] : []),
  ...(accept.length > 0 ? ["accept"] : []),
  ...(forEach === undefined ? [] : ["for_each"]),
];

const ignoredFields = ({ needs, retry, env, contained }: Step) => [
  ...(needs === undefined ? [] : ["needs"]),
  ...(retry.times > 0 ? ["retry"] : []),
  ...(Object.keys(env).length > 0 ? ["env"] : []),
  ...(contained ? [] : ["contained"]),
];
