import type { Context } from "../recipe/recipe.ts";
import { readShell } from "./read-shell.ts";
import type { ValueRule } from "./shell-position.ts";
import { variableFor } from "./shell-variables.ts";
import { lookUp, textOf } from "./text-of.ts";

export interface RenderedShell {
  /** The script with references to variables; it contains no value. */
  readonly script: string;
  /** The variables that it refers to, with their values. */
  readonly variables: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
  /** Why it must not run with these values. */
  readonly problem: string | undefined;
}

/** A shell command with its `{{name}}` as quoted references to variables. Values never become part of the script. */
export function renderShell(command: string, context: Context): RenderedShell {
  const names = new Map<string, string>();
  const variables = new Map<string, string>();
  const missing = new Set<string>();
  let problem: string | undefined;
  const script = readShell(command, (name, rule) => {
    const value = lookUp(context, name);
    if (value === undefined) missing.add(name);
    problem ??= problemWith(name, textOf(value), rule);
    const variable = names.get(name) ?? freshName(variableFor(name), variables);
    names.set(name, variable);
    variables.set(variable, textOf(value));
    return variable;
  });
  return { script, variables, missing: [...missing], problem };
}

/** `a-b` and `a_b` would have the same variable. */
function freshName(name: string, taken: ReadonlyMap<string, string>): string {
  let fresh = name;
  for (let count = 2; taken.has(fresh); count++) fresh = `${name}_${count}`;
  return fresh;
}

function problemWith(name: string, value: string, rule: ValueRule): string | undefined {
  if (value.includes("\0"))
    return `the value of {{${name}}} contains a NUL character, which no shell variable can hold`;
  if (rule === "number" && !/^\s*[+-]?\d*\s*$/.test(value))
    return `{{${name}}} is used as a number, but its value is not one; the shell could run a part of it`;
  if (rule === "harmless" && !/^[\p{L}\p{N}_./:@%+=, -]*$/u.test(value))
    return `{{${name}}} would become part of a program, and its value contains special characters; let the program read the variable ${variableFor(name)} instead`;
  return undefined;
}
