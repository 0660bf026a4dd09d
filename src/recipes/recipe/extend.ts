import { EXIT, UserError } from "../../lib/user-error.ts";
import { DEFAULT_LIMITS, type Recipe, type RecipeLimits } from "./recipe.ts";

const MAX_PARENTS = 16;

/** Finds a recipe by the name in `extends`. Throws if there is none. */
export type FindParent = (name: string) => Recipe;

/**
 * A recipe with everything that it inherits: the parent's steps first, the child's context over the parent's, the tags
 * of both, and limits and hooks that the child does not set itself.
 */
export function extendRecipe(recipe: Recipe, findParent: FindParent): Recipe {
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
