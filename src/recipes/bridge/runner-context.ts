import { SPILL_BYTES } from "../../agents/spillover.ts";
import { UserError } from "../../lib/user-error.ts";
import type { LoadedRecipe } from "../places/load-recipe.ts";
import type { Context, Recipe, Step } from "../recipe/recipe.ts";
import { prepareContext } from "../run/prepare-context.ts";
import { preflight } from "../run/run-recipe.ts";
import type { StepResult } from "../run/step-result.ts";
import { BAD_ARGUMENTS, textOf } from "./runner-argv.ts";

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

/** Refuses a recipe in which a step would get the address of a large value in place of the value. */
export function refuseAddresses(recipes: readonly LoadedRecipe[], context: Context): void {
  for (const [name, value] of Object.entries(context)) {
    const bytes = Buffer.byteLength(textOf(value));
    if (bytes < SPILL_BYTES) continue;
    const users = recipes.flatMap(({ recipe }) => [
      ...recipe.steps.filter((step) => takesValue(step, name)).map(({ id }) => id),
      ...(mentions({ hooks: recipe.hooks, context: recipe.context }, name) ? ["hooks or context"] : []),
    ]);
    if (users.length > 0)
      throw new UserError(
        `'${name}' has ${bytes} bytes. The external runner gets a value of that size as a file:// address, and these steps would get the address: ${users.join(", ")}`,
        {
          where: `-c ${name}`,
          fix: "use --engine native, which passes the value itself",
          exitCode: BAD_ARGUMENTS,
        },
      );
  }
}

/** A step that speaks of `file://` reads the address itself. */
const takesValue = (step: Step, name: string): boolean =>
  !JSON.stringify(step).includes("file://") &&
  (mentions(step, name) || new RegExp(`\\b${RegExp.escape(name)}\\b`).test(step.condition ?? ""));

/** True if a text has the value as a template or as one of its variables. */
function mentions(texts: object, name: string): boolean {
  const variable = name.replaceAll(/[.-]/g, "_");
  const forms = [
    `\\{\\{\\s*${RegExp.escape(name)}\\b`,
    `RECIPE_VAR_${variable}\\b`,
    `\\$\\{?${variable.toUpperCase()}\\b`,
  ];
  return new RegExp(forms.join("|")).test(JSON.stringify(texts));
}
