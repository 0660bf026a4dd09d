import { SPILL_BYTES } from "../../agents/spillover.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { LoadedRecipe } from "../recipe/load-recipe.ts";
import { isBundled } from "../recipe/may-run.ts";
import { type Context, type ContextValue, type Recipe, RECIPE_EXIT, type Step } from "../recipe/recipe.ts";
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
    const bytes = Buffer.byteLength(passedText(value));
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
          exitCode: RECIPE_EXIT.badArguments,
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

/** Where a run keeps what it passes to the runner. */
interface PassedFiles {
  /** The folder with the recipes, in which the runner looks for others. */
  readonly recipes: string;
  /** Returns a large value as the address of a file. */
  readonly spill: (value: string) => string;
}

/** The words for the external runner after its name. */
export function runnerArgv(
  file: string,
  options: RecipeOptions,
  context: Context,
  { recipes, spill }: PassedFiles,
): readonly string[] {
  const { workingDir, isDryRun, autoStage, includeTags, excludeTags } = options;
  return [
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
    "-R",
    recipes,
    ...Object.entries(context).flatMap(([name, value]) => ["--set", `${name}=${passedValue(name, value, spill)}`]),
  ];
}

/** A value as the runner gets it. */
const passedText = (value: ContextValue): string => (typeof value === "string" ? value : JSON.stringify(value));

function passedValue(name: string, value: ContextValue, spill: PassedFiles["spill"]): string {
  const text = passedText(value);
  if (text.includes("\0"))
    throw new UserError(`the value of '${name}' has a NUL character, which a command line cannot have`, {
      where: `-c ${name}`,
      fix: "remove it, or use --engine native",
      exitCode: RECIPE_EXIT.badArguments,
    });
  const passed = spill(text);
  if (passed !== text)
    say(
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
        exitCode: RECIPE_EXIT.invalid,
      });
    const needed = [
      ...recipe.steps.flatMap((step) => neededFields(step).map((field) => `${step.id}: ${field}`)),
      ...(recipe.accept.length > 0 ? ["accept"] : []),
    ];
    if (needed.length > 0)
      throw new UserError(`the external runner does not know these fields: ${needed.join(", ")}`, {
        where: files[0]?.file ?? recipe.name,
        fix: "run the recipe with --engine native",
        exitCode: RECIPE_EXIT.invalid,
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

/** An agent could choose a runner, and its commands would not be judged. */
export function refuseInSession(): void {
  if (!isInsideSession(process.env)) return;
  throw new UserError("the external runner cannot be started inside an agent's session", {
    where: "--engine rust",
    fix: "use --engine native, or start it from your own terminal",
    exitCode: EXIT.failed,
  });
}

/** The agents of the runner are launched like any other, so they have the rules in effect and no others. */
export function refuseRules(flag: string | undefined, steps: readonly string[]): void {
  if (flag === undefined || steps.length === 0) return;
  throw new UserError(`--${flag} does not reach agents that the external runner starts (${steps.join(", ")})`, {
    where: `--${flag}`,
    fix: "use --engine native, or change the policy in effect",
    exitCode: RECIPE_EXIT.badArguments,
  });
}

/** Our dry run promises that nothing runs. */
export function refuseHooks(recipes: readonly LoadedRecipe[]): void {
  const one = recipes.find(({ recipe }) => Object.values(recipe.hooks).some((hook) => hook !== undefined));
  if (one === undefined) return;
  throw new UserError("the external runner runs hooks even in a dry run", {
    where: one.files[0]?.file ?? one.recipe.name,
    fix: "use --engine native, which runs nothing in a dry run",
    exitCode: RECIPE_EXIT.badArguments,
  });
}
