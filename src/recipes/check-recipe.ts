import { messageOf } from "../lib/text/user-error.ts";
import { ConditionError, parseCondition } from "./language/condition.ts";
import type { LoadedRecipe } from "./recipe/load-recipe.ts";
import type { Step } from "./recipe/recipe.ts";
import { readShell } from "./language/read-shell.ts";
import { isReserved } from "./language/shell-template.ts";
import { referencesIn } from "./language/text-template.ts";

interface RecipeCheck {
  /** What will not work. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Finds the recipe of a step. Undefined when there is none. */
type FindLoaded = (name: string) => LoadedRecipe | undefined;

/** Checks what can be checked without running anything. */
export function checkRecipe({ recipe, warnings }: LoadedRecipe, find: FindLoaded): RecipeCheck {
  const known = new Set([...Object.keys(recipe.context), ...Object.keys(recipe.inputs)]);
  const seen = new Set<string>();
  const errors: string[] = [];
  const notes: string[] = [...warnings];
  for (const step of recipe.steps) {
    const say = (text: string) => `${step.id}: ${text}`;
    errors.push(...stepErrors(step).map(say));
    notes.push(...stepWarnings(step, known, find).map(say));
    for (const name of namesSetBy(step, find, seen)) known.add(name);
  }
  const reserved = Object.keys(recipe.env).filter(isReserved);
  errors.push(...reserved.map((name) => `env: a recipe may not set the variable ${name}`));
  return { errors, warnings: notes };
}

/**
 * The names that a step may put into the context. What a sub-recipe sets comes back. Each recipe is looked at once, so
 * recipes that call each other end.
 */
function namesSetBy({ output, recipe, context }: Step, find: FindLoaded, seen: Set<string>): readonly string[] {
  const own = [...(output === undefined ? [] : [output]), ...Object.keys(context)];
  if (recipe === undefined || seen.has(recipe)) return own;
  seen.add(recipe);
  const sub = find(recipe)?.recipe;
  if (sub === undefined) return own;
  const inner = sub.steps.flatMap((step) => namesSetBy(step, find, seen));
  return [...own, ...Object.keys(sub.context), ...Object.keys(sub.inputs), ...inner];
}

function stepErrors(step: Step): readonly string[] {
  const reserved = Object.keys(step.env).filter(isReserved);
  return [
    ...conditionError(step.condition),
    ...pathErrors(step),
    ...reserved.map((name) => `a recipe may not set the variable ${name}`),
    ...(step.forEach !== undefined && step.type === "approval" ? ["for_each has no effect on an approval"] : []),
  ];
}

/** What looks like a template with an index, but is none. It would stay in the text as it is. */
function pathErrors({ command, prompt, workingDir, approval, condition, env }: Step): readonly string[] {
  const texts = [command, prompt, workingDir, approval, condition, ...Object.values(env)];
  const found = texts.flatMap((text) => text?.match(/\{\{[A-Za-z_][\w.-]*\[[^{}\n]*\}\}/g) ?? []);
  const wrong = found.filter((text) => referencesIn(text).length === 0);
  return wrong.map((text) => `'${text}' is no template: an index is a number, or a name in quotes`);
}

function conditionError(condition: string | undefined): readonly string[] {
  if (condition === undefined || condition.trim() === "") return [];
  try {
    parseCondition(condition);
    return [];
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return [`the condition is invalid: ${messageOf(error)}`];
  }
}

function stepWarnings(step: Step, known: ReadonlySet<string>, find: FindLoaded): readonly string[] {
  const { command = "", prompt = "", recipe } = step;
  const repeated = step.forEach === undefined ? [] : [step.forEach.as, "index"];
  const retried = step.retry.times === 0 ? [] : ["attempt", "failure"];
  const given = new Set([...known, ...repeated, ...retried]);
  const names = referencesIn(`${command}\n${prompt}\n${step.workingDir ?? ""}`);
  const unset = names.filter((name) => !given.has(name) && !given.has(name.split(/[.[]/)[0] ?? ""));
  const spaced = /\{\{\s+[\w.[\]'"-]+\s*\}\}|\{\{[\w.[\]'"-]+\s+\}\}/.exec(`${command}\n${prompt}`)?.[0];
  return [
    ...unset.map((name) => `{{${name}}} is set by no step before it and is not in the context`),
    ...(spaced === undefined ? [] : [`'${spaced}' is no template: write it without spaces`]),
    ...(step.type === "bash" ? codePositions(command) : []),
    ...(/^\s*\{\{[\w.-]+\}\}/m.test(command)
      ? ["a command that is a template is one word: its value is not split"]
      : []),
    ...(recipe === undefined || recipe.includes("{{") || find(recipe) !== undefined
      ? []
      : [`there is no recipe '${recipe}'`]),
  ];
}

/** Templates whose values another program would take as code. They are refused when the value could be code. */
function codePositions(command: string): readonly string[] {
  const found = new Set<string>();
  readShell(command, (name, rule) => {
    if (rule === "number") found.add(`{{${name}}} is used in arithmetic, so its value must be a number`);
    if (rule === "harmless")
      found.add(`{{${name}}} becomes part of a program, so its value may not have special characters`);
    return "X";
  });
  return [...found];
}
