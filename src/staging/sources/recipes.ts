import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../lib/json/parse-json.ts";
import { type MarkdownFile, markdownOf } from "../../lib/json/read-markdown.ts";
import { packageFolder, runsFromSources } from "../../lib/path/package-folder.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { listRecipes, recipeNamed } from "../../recipes/recipe/find-recipe.ts";
import { type LoadedRecipe, loadRecipe } from "../../recipes/recipe/load-recipe.ts";
import { type RecipeFolder, recipeFolders } from "../../recipes/recipe/recipe-folders.ts";
import type { Recipe } from "../../recipes/recipe/recipe.ts";

/** A recipe that an agent can start by its name. */
interface RecipeCommand {
  readonly text: MarkdownFile;
  /** Its file, then those it extends. */
  readonly files: LoadedRecipe["files"];
}

export interface RecipeCommands {
  readonly commands: readonly RecipeCommand[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** Which names a plain call may have (src/guard/signalbox-calls.ts), in lower case because agents make it so. */
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;

const MAX_RECIPES = 200;

/** The recipes that `signalbox recipe run NAME` finds in these folders, as commands that call it. */
export function recipesIn(folders: readonly RecipeFolder[]): RecipeCommands {
  const problems: string[] = [];
  let read: ReturnType<typeof builtTexts> | undefined;
  const texts = () => (read ??= builtTexts());
  const listed = listRecipes(folders).filter(({ hiddenBy }) => hiddenBy === undefined);
  if (listed.length > MAX_RECIPES)
    problems.push(`recipes: only the first ${MAX_RECIPES} of ${listed.length} are given`);
  const commands = listed.slice(0, MAX_RECIPES).flatMap(({ name, file, origin }): readonly RecipeCommand[] => {
    const built = origin === "bundled" ? texts()[name] : undefined;
    if (built !== undefined) return [{ text: built, files: [{ name, file, text: "", origin }] }];
    try {
      if (!NAME.test(name)) throw new Error("its name may only contain letters, digits, dashes and underscores");
      const { recipe, files } = loadRecipe(recipeNamed(name, folders), folders);
      return [{ text: recipeText(name, recipe), files }];
    } catch (error) {
      problems.push(`recipes/${name}: ${messageOf(error)}`);
      return [];
    }
  });
  return { commands, problems };
}

/** Where the build keeps the texts of our own recipes, because every launch gives them and reading YAML is slow. */
export const BUILT_TEXTS = "recipe-texts.json";

function builtTexts(): Readonly<Record<string, MarkdownFile | undefined>> {
  const file = join(packageFolder(), "dist", BUILT_TEXTS);
  return runsFromSources || !existsSync(file) ? {} : Texts.parse(parseJson(readFileSync(file, "utf8")));
}

const Texts = z.record(
  z.string(),
  z.object({
    name: z.string(),
    folder: z.string(),
    text: z.string(),
    description: z.string(),
    fields: z.record(z.string(), z.string()),
    body: z.string(),
  }),
);

/** The folders of a repository alone. */
export const repositoryRecipes = (root: string): readonly RecipeFolder[] =>
  recipeFolders({ workspace: root, home: root, env: {}, named: [], bundled: root }).filter(
    ({ origin }) => origin === "repository",
  );

const MAX_WORDS = 200;

const MAX_VALUES = 20;

/** A recipe as a command for agents: its text tells the model how to start it. */
function recipeText(name: string, recipe: Recipe): MarkdownFile {
  const description = plain(recipe.description) || `Run the recipe ${name}`;
  const body = bodyOf(name, recipe);
  const fields = { description, "argument-hint": "[TASK]" };
  return { name, folder: "", text: markdownOf(fields, body), description, fields, body };
}

function bodyOf(name: string, recipe: Recipe): string {
  const values = valuesOf(recipe);
  return [
    "Run this one command and wait for its end. That may take many minutes, so use the longest time limit of your shell tool, or the background.",
    `    signalbox recipe run ${name}${values.length === 0 ? "" : " -c KEY='VALUE'"} --json`,
    "The user wrote: $ARGUMENTS",
    ...(values.length === 0 ? [] : [`${PASSING}\n${values.join("\n")}`]),
    "Add no pipe, redirection or second command. Do not do its steps yourself. Tell the user how it ended; if a step is blocked, show them the command that its error names.",
  ].join("\n\n");
}

const PASSING = "Keys, each with its own -c, without a single quote in the value; leave out what the user did not say:";

/** The values that the caller may pass: the inputs, then the names of the context. */
function valuesOf({ inputs, context }: Recipe): readonly string[] {
  const named = Object.entries(inputs).map(([name, { type, required, description, default: usual }]) => {
    const need = required && usual === undefined ? ", required" : shown(usual);
    return `- ${plain(name)} (${type}${need})${description === "" ? "" : `: ${plain(description)}`}`;
  });
  const others = Object.entries(context).filter(([name]) => !Object.hasOwn(inputs, name));
  return [...named, ...others.map(([name, value]) => `- ${plain(name)}${usualOf(value)}`)].slice(0, MAX_VALUES);
}

const usualOf = (value: unknown) => (shown(value) === "" ? "" : ` (${shown(value).slice(2)})`);

const shown = (value: unknown) =>
  value === undefined || value === null || value === "" ? "" : `, usually ${plain(JSON.stringify(value)).slice(0, 60)}`;

/** One line in which no agent finds a command to run or a file to read. */
const plain = (text: string) =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[`!@$<>{}]/g, "")
    .trim()
    .slice(0, MAX_WORDS);
