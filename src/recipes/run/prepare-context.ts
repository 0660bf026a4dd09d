import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { gitTop } from "../../lib/path/workspace.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isEqual, numberIn } from "../language/condition-values.ts";
import type { Context, ContextValue, Recipe, RecipeInput } from "../recipe/recipe.ts";
import { textOf } from "../language/text-template.ts";

export interface PreparedContext {
  readonly context: Context;
  /** Everything that is wrong with it. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The context that a recipe starts with: its own, its inputs' defaults, and what was passed in. */
export function prepareContext(recipe: Recipe, passed: Context, folder: string): PreparedContext {
  const defaults = Object.entries(recipe.inputs).flatMap(([name, input]) =>
    input.default === undefined ? [] : [[name, input.default] as const],
  );
  const start: Context = { ...recipe.context, ...Object.fromEntries(defaults), ...passed };
  const inputs = Object.entries(recipe.inputs).map(([name, input]) => readInputValue(name, start[name], input));
  const context = {
    ...start,
    ...Object.fromEntries(inputs.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))),
  };
  const rules = Object.entries(recipe.contextValidation).map(([name, rule]) =>
    checkRule(name, rule, { context, folder }),
  );
  return {
    context,
    problems: [...inputs, ...rules].flatMap(({ problem }) => problem ?? []),
    warnings: rules.flatMap(({ warning }) => warning ?? []),
  };
}

interface Checked {
  readonly problem?: string;
  readonly warning?: string;
}

interface RulePlace {
  readonly context: Context;
  readonly folder: string;
}

function checkRule(name: string, rule: string, { context, folder }: RulePlace): Checked {
  const text = textOf(context[name]).trim();
  const path = resolve(folder, text);
  switch (rule) {
    case "":
    case "optional":
      return {};
    case "nonempty":
      return text === "" ? { problem: `'${name}' must not be empty: pass it with -c ${name}=VALUE` } : {};
    case "path":
      return text !== "" && existsSync(path) ? {} : { problem: `'${name}' must be a path that exists: '${text}'` };
    case "git_repo":
      return isFolder(path) && gitTop(path) !== undefined
        ? {}
        : { problem: `'${name}' must be in a git repository: '${text}'` };
    default:
      return { warning: `unknown validation rule '${rule}' for '${name}' (known: nonempty, path, git_repo, optional)` };
  }
}

interface CheckedInput extends Checked {
  readonly entry?: readonly [string, ContextValue];
}

function readInputValue(name: string, value: ContextValue, input: RecipeInput): CheckedInput {
  if (value === undefined || value === null || value === "")
    return input.required ? { problem: `the input '${name}' is missing: pass it with -c ${name}=VALUE` } : {};
  const read = converted(value, input.type);
  if (read === undefined) return { problem: `the input '${name}' must be a ${input.type}` };
  if (input.options.length > 0 && !input.options.some((option) => isEqual(option, read)))
    return { problem: `the input '${name}' must be one of ${input.options.map(textOf).join(", ")}` };
  return { entry: [name, read] };
}

function converted(value: ContextValue, type: RecipeInput["type"]): ContextValue {
  switch (type) {
    case "string":
    case "path":
      return typeof value === "object" ? undefined : textOf(value);
    case "number":
      return numberIn(value);
    case "boolean":
      return isEqual(true, value) ? true : isEqual(false, value) ? false : undefined;
    case "list":
      return Array.isArray(value) ? value : undefined;
    case "object":
      return isRecord(value) ? value : undefined;
  }
}
