import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { messageOf } from "../../lib/message-of.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import { runsFromSources } from "../../lib/package-root.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { recipeNamed, listRecipes } from "../../recipes/places/find-recipe.ts";
import { type LoadedRecipe, loadRecipe } from "../../recipes/places/load-recipe.ts";
import { type RecipeFolder, recipeFolders } from "../../recipes/places/recipe-folders.ts";
import type { MarkdownFile } from "../../lib/read-markdown.ts";
import { recipeText } from "./recipe-text.ts";

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

/** Which names a plain call may have (src/guard/recipe-call.ts), in lower case because agents make it so. */
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
