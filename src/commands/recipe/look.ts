import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { EXIT, messageOf } from "../../lib/text/user-error.ts";
import { printable } from "../../lib/text/printable.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { checkRecipe } from "../../recipes/check-recipe.ts";
import { findByWord, listRecipes, recipeAt, recipeNamed } from "../../recipes/recipe/find-recipe.ts";
import { besideFolder, type LoadedRecipe, loadRecipe } from "../../recipes/recipe/load-recipe.ts";
import { type RecipeFolder, searchedFolders, workingFolder } from "../../recipes/recipe/recipe-folders.ts";
import type { Recipe } from "../../recipes/recipe/recipe.ts";
import { recipeGraph } from "../../recipes/recipe/plan-steps.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson, textFlag, textsFlag } from "../flags.ts";

const isJson = ({ flags }: CommandInput) => flags["json"] === true || textFlag(flags, "format") === "json";

const foldersOf = ({ flags }: CommandInput) =>
  searchedFolders(textsFlag(flags, "recipeDir"), workingFolder(textFlag(flags, "workingDir")));

function load(input: CommandInput) {
  const { words } = input;
  const folders = foldersOf(input);
  const found = findByWord(words[0], folders);
  return { loaded: loadRecipe(found, folders), found, folders };
}

/** Lists all recipes that can be started by name, and where each comes from. */
export async function list(input: CommandInput): Promise<number> {
  for (const { name, file, origin, hiddenBy } of listRecipes(foldersOf(input))) {
    const about = describe(file);
    if (isJson(input)) printJson({ name, file, origin, hidden_by: hiddenBy ?? null, ...about });
    else {
      const note = "error" in about ? `invalid: ${about.error}` : (about.description.split("\n")[0] ?? "");
      const hidden = hiddenBy === undefined ? "" : `  (not used: ${hiddenBy} has one with this name)`;
      const where = origin === "bundled" ? "" : `${file}${hidden}  `;
      process.stdout.write(`${printable(`${name.padEnd(20)}  ${origin.padEnd(11)}  ${where}${note}`)}\n`);
    }
  }
  return EXIT.ok;
}

function describe(file: string): { readonly description: string } | { readonly error: string } {
  try {
    return { description: loadRecipe(recipeAt(file, "/"), []).recipe.description };
  } catch (error) {
    const message = messageOf(error);
    // A parent may stand in another folder; that is no mistake of this file.
    return message.startsWith("'extends:") ? { description: "" } : { error: message };
  }
}

/** Prints a recipe as it will run, with what it inherits. */
export async function show(input: CommandInput): Promise<number> {
  const { loaded, found } = load(input);
  const shown = { file: found.file, origin: found.origin, ...snakeCase(loaded.recipe) };
  if (isJson(input)) process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  else process.stdout.write(printable(stringify(shown)));
  return EXIT.ok;
}

/** The fields under the names that recipes use. Those that are as usual are left out. */
function snakeCase(recipe: Recipe): Readonly<Record<string, unknown>> {
  const { inputs, steps, recursion, hooks, ...rest } = recipe;
  return fields({
    ...rest,
    inputs,
    recursion: fields({ ...recursion }),
    hooks: fields({ ...hooks }),
    steps: steps.map((step) => fields({ ...step })),
  });
}

const fields = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => !isUsual(name, field))
      .map(([name, field]) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field]),
  );

/** Fields that are not set, or as they are by default. */
function isUsual(name: string, field: unknown): boolean {
  if (name === "isFatal" || name === "contained") return field === true;
  if (name === "retry") return isDeepStrictEqual(field, { times: 0, backoff: 0 });
  if (field === undefined || field === false || field === "") return true;
  return typeof field === "object" && field !== null && Object.values(field).every((each) => each === undefined);
}

/** Says what is wrong with a recipe, without running anything. */
export async function validate(input: CommandInput): Promise<number> {
  const { loaded, found, folders } = load(input);
  const places = [besideFolder(found), ...folders];
  const known = new Map<string, LoadedRecipe | undefined>();
  const { errors, warnings } = checkRecipe(loaded, (name) => {
    if (!known.has(name)) known.set(name, loadIfValid(name, places));
    return known.get(name);
  });
  if (isJson(input))
    printJson({ recipe: loaded.recipe.name, file: found.file, valid: errors.length === 0, errors, warnings });
  else {
    for (const warning of warnings) say(`warning: ${warning}`);
    for (const error of errors) say(`error: ${error}`);
    process.stdout.write(`${printable(found.file)}: ${errors.length === 0 ? "valid" : "invalid"}\n`);
  }
  return errors.length === 0 ? EXIT.ok : EXIT.usage;
}

function loadIfValid(name: string, places: readonly RecipeFolder[]): LoadedRecipe | undefined {
  try {
    return loadRecipe(recipeNamed(name, places), places);
  } catch {
    // It says so itself when it is validated or run.
    return undefined;
  }
}

/** Prints the steps as a Mermaid flow chart. */
export async function graph(input: CommandInput): Promise<number> {
  process.stdout.write(recipeGraph(load(input).loaded.recipe));
  return EXIT.ok;
}
