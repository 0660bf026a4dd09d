import { isDangerous } from "../../lib/dangerous-variables.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";
import { textOf } from "./text-of.ts";

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
export const variableFor = (name: string): string => {
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
