import { isRecord } from "../../lib/json/json-value.ts";
import { isDangerous } from "../../lib/process/dangerous-variables.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";
import { readShell } from "./read-shell.ts";
import type { ValueRule } from "./shell-position.ts";
import { lookUp, textOf } from "./text-template.ts";

interface RenderedShell {
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

const RESERVED = new Set(
  "PATH HOME PWD OLDPWD USER LOGNAME SHELL TERM TMPDIR TMP TEMP LANG LANGUAGE MAIL EDITOR VISUAL PAGER DISPLAY HOSTNAME IFS PS1 PS2 PS3 PS4 PPID UID EUID SHLVL HISTFILE GLIBC_TUNABLES GCONV_PATH HOSTALIASES LOCALDOMAIN RES_OPTIONS".split(
    " ",
  ),
);

/** Variables that a recipe may not set: the shell's own, those that load code or redirect a program, and ours. */
export function isReserved(name: string): boolean {
  return (
    RESERVED.has(name) ||
    /^(?:LC_|BASH|SIGNALBOX_|AMPLIHACK_|RECIPE_VAR_|NPM_CONFIG_|npm_config_|PYTHON(?!_)|GIT_|SSH_)/.test(name) ||
    isDangerous(name)
  );
}

/** The variable for a context name: dots and brackets become `__`, everything else that is no letter or digit `_`. */
const variableFor = (name: string): string => {
  const dotted = name.replaceAll(/\[['"]?([^\]'"]*)['"]?\]/g, ".$1");
  return `RECIPE_VAR_${dotted.replaceAll(".", "__").replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
};

const MAX_NESTING = 8;

/** Every context value as a variable: `RECIPE_VAR_name`, nested ones too, and `NAME` for a plain top-level value. */
export function contextVariables(context: Context): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const add = (name: string, value: ContextValue, depth: number): void => {
    if (!/^[A-Za-z0-9_.-]+$/.test(name)) return;
    variables.set(variableFor(name), textOf(value));
    if (!isRecord(value) || depth === MAX_NESTING) return;
    for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner, depth + 1);
  };
  for (const [name, value] of Object.entries(context)) {
    add(name, value, 0);
    const alias = name.toUpperCase();
    const isPlain = typeof value !== "object" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
    if (isPlain && value !== undefined && !isReserved(alias)) variables.set(alias, textOf(value));
  }
  return variables;
}
