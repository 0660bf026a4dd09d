import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { gitTop } from "../../lib/path/workspace.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isEqual, numberIn } from "../language/condition-values.ts";
import { messageOf, UserError } from "../../lib/text/user-error.ts";
import { type Context, type ContextValue, type Recipe, RECIPE_EXIT, type RecipeInput } from "../recipe/recipe.ts";
import { storedValue } from "./step-result.ts";
import { textOf } from "../language/text-template.ts";

interface PreparedContext {
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
  const rules = Object.entries(recipe.contextValidation).map(([name, rule]) => checkRule(name, rule, context, folder));
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

function checkRule(name: string, rule: string, context: Context, folder: string): Checked {
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

const MAX_BYTES = 10_000_000;

/** Context values from the environment, from the task on the command line, and from `-c`, which wins. */
export function passedContext(pairs: readonly string[], task: string | undefined, env: NodeJS.ProcessEnv): Context {
  return {
    ...environmentContext(env),
    ...(task === undefined ? {} : { task_description: task }),
    ...Object.fromEntries(pairs.map(readPair)),
  };
}

const PREFIX = "AMPLIHACK_CONTEXT_";

/** These have another meaning. */
const NOT_VALUES = ["AMPLIHACK_CONTEXT_FILE", "AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES"];

function environmentContext(env: NodeJS.ProcessEnv): Context {
  const { AMPLIHACK_TASK_DESCRIPTION: task, AMPLIHACK_REPO_PATH: repository } = env;
  const named = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && !NOT_VALUES.includes(name) && value !== undefined
      ? [[name.slice(PREFIX.length).toLowerCase(), readValue(value)] as const]
      : [],
  );
  return {
    ...(task === undefined ? {} : { task_description: task }),
    ...(repository === undefined ? {} : { repo_path: repository }),
    ...Object.fromEntries(named),
  };
}

function readPair(pair: string): readonly [string, ContextValue] {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at));
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && name !== "__proto__") return [name, readValue(pair.slice(at + 1))];
  throw new UserError("expected KEY=VALUE", {
    where: `-c ${pair.slice(0, 60)}`,
    fix: "for example -c task_description='add a flag'",
    exitCode: RECIPE_EXIT.badArguments,
  });
}

/** JSON other than a string becomes typed. `file://` is how other launchers pass large values. */
function readValue(text: string): ContextValue {
  if (text === "True" || text === "False") return text === "True";
  if (text.startsWith("file://")) return storedValue(readFileValue(text));
  const value = storedValue(text);
  return typeof value === "string" ? text : value;
}

function readFileValue(address: string): string {
  try {
    return readBoundedText(fileURLToPath(address), MAX_BYTES);
  } catch (cause) {
    throw new UserError(`the context value cannot be read: ${messageOf(cause)}`, {
      where: address.slice(0, 200),
      fix: `pass a file of at most ${MAX_BYTES} bytes that exists`,
      exitCode: RECIPE_EXIT.badArguments,
      cause,
    });
  }
}
