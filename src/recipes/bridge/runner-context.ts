import { SPILL_BYTES } from "../../agents/spillover.ts";
import { UserError } from "../../lib/text/user-error.ts";
import type { LoadedRecipe } from "../recipe/load-recipe.ts";
import { RECIPE_INVALID } from "../recipe/read-yaml.ts";
import { isBundled } from "../recipe/recipe-trust.ts";
import type { Context, ContextValue, Recipe, Step } from "../recipe/recipe.ts";
import { prepareContext } from "../run/prepare-context.ts";
import type { RecipeOptions } from "../run/run-parts.ts";
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

/** The exit code for arguments that cannot be passed on. */
export const BAD_ARGUMENTS = 4;

export interface ArgvParts {
  readonly runner: string;
  readonly file: string;
  readonly options: RecipeOptions;
  /** Where the runner looks for other recipes. */
  readonly folders: readonly string[];
  readonly context: Context;
  /** Returns a large value as the address of a file. */
  readonly spill: (value: string) => string;
  readonly warn: (text: string) => void;
}

/** The command line of the external runner. */
export function runnerArgv(parts: ArgvParts): readonly string[] {
  const { runner, file, options, folders, context } = parts;
  const { workingDir, isDryRun, autoStage, includeTags, excludeTags } = options;
  return [
    runner,
    file,
    "--output-format",
    "json",
    "-C",
    workingDir,
    "--progress",
    ...(isDryRun ? ["--dry-run"] : []),
    ...(autoStage ? [] : ["--no-auto-stage"]),
    ...(includeTags.length === 0 ? [] : ["--include-tags", includeTags.join(",")]),
    ...(excludeTags.length === 0 ? [] : ["--exclude-tags", excludeTags.join(",")]),
    ...folders.flatMap((folder) => ["-R", folder]),
    ...Object.entries(context).flatMap(([name, value]) => ["--set", `${name}=${passedValue(name, value, parts)}`]),
  ];
}

/** A value as the runner gets it. */
const textOf = (value: ContextValue): string => (typeof value === "string" ? value : JSON.stringify(value));

function passedValue(name: string, value: ContextValue, { spill, warn }: ArgvParts): string {
  const text = textOf(value);
  if (text.includes("\0"))
    throw new UserError(`the value of '${name}' has a NUL character, which a command line cannot have`, {
      where: `-c ${name}`,
      fix: "remove it, or use --engine native",
      exitCode: BAD_ARGUMENTS,
    });
  const passed = spill(text);
  if (passed !== text)
    warn(
      `warning: '${name}' has ${Buffer.byteLength(text)} bytes, so it is passed as a file:// address, which the external runner does not read back`,
    );
  return passed;
}

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
