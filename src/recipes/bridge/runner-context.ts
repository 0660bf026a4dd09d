import type { Context, Recipe } from "../recipe/recipe.ts";
import { prepareContext } from "../run/prepare-context.ts";
import { preflight } from "../run/run-recipe.ts";
import type { StepResult } from "../run/step-result.ts";

interface RunnerContext {
  /** What was passed in, and the values of inputs, which the external runner does not know. */
  readonly context: Context;
  /** What is wrong with it, as the result of a step. */
  readonly problem: StepResult | undefined;
}

export function runnerContext(recipe: Recipe, passed: Context, folder: string): RunnerContext {
  const { context, problems } = prepareContext(recipe, passed, folder);
  const names = new Set([...Object.keys(recipe.inputs), ...Object.keys(passed)]);
  return {
    context: Object.fromEntries(Object.entries(context).filter(([name]) => names.has(name))),
    problem: problems.length === 0 ? undefined : preflight(problems),
  };
}
