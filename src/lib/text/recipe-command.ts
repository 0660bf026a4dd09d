import { shQuote, splitWords } from "./shell-words.ts";

/** Characters with which a shell does more than run one program. Quoted ones are removed first. */
const SHELL = /[;&|<>()`$\n\r\\*?[\]{}~#!^%]/;
const QUOTED = /'[^']*'|"[^"$`\\!]*"/g;
const VALUE = /^[A-Za-z0-9_.-]{1,128}=(?!file:)/;

const FLAGS: Readonly<Record<string, RegExp | undefined>> = {
  "-c": VALUE,
  "--context": VALUE,
  "-f": /^(?:table|json|yaml)$/,
  "--format": /^(?:table|json|yaml)$/,
  "--include-tags": /^[\w,-]+$/,
  "--exclude-tags": /^[\w,-]+$/,
  "--step-timeout": /^\d+$/,
};
const SWITCHES = ["--json", "--dry-run", "--no-auto-stage"];

/**
 * The words after `signalbox recipe run` of a call that only names a recipe and gives it values. Undefined for every
 * other command: a path, another folder, a file as a value, approvals, and anything besides the one call.
 */
export function plainRecipeRun(source: string): readonly string[] | undefined {
  const bare = source.replaceAll(QUOTED, "");
  if (!bare.startsWith("signalbox recipe run ") || SHELL.test(bare)) return undefined;
  const [, , , name = "", ...rest] = splitWords(source.trim()) ?? [];
  if (!/^[A-Za-z0-9][\w-]{0,127}$/.test(name)) return undefined;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (SWITCHES.includes(word)) continue;
    const value = Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
    if (value?.test(rest[++index] ?? "") !== true) return undefined;
  }
  return [name, ...rest];
}

export interface RecipeStart {
  /** Our own program. */
  readonly program: string;
  /** What binds the recipe to the session. */
  readonly variables: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A plain call as it is run: by our own program, bound to its session and folder. Undefined for any other command. */
export function boundRecipeRun(source: string, { program, variables, cwd }: RecipeStart): string | undefined {
  const words = plainRecipeRun(source);
  if (words === undefined || cwd === undefined) return undefined;
  const bound = Object.entries(variables).map(([name, value]) => `${name}=${shQuote(value)}`);
  return [...bound, ...[program, "recipe", "run", ...words, "-w", cwd].map(shQuote)].join(" ");
}
