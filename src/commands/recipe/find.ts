import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { isFolder } from "../../lib/is-program.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import { UserError } from "../../lib/user-error.ts";
import { type FoundRecipe, isRecipePath, recipeAt, recipeNamed } from "../../recipes/places/find-recipe.ts";
import { type RecipeFolder, recipeFolders } from "../../recipes/places/recipe-folders.ts";
import { textFlag, textsFlag } from "../flags.ts";
import { BAD_ARGUMENTS } from "./context-flags.ts";

type Flags = Readonly<Record<string, unknown>>;

/** The folder in which a recipe works. */
export function workingFolder(flags: Flags): string {
  const folder = resolve(currentFolder(), textFlag(flags, "workingDir") ?? ".");
  if (isFolder(folder)) return folder;
  throw new UserError("this folder does not exist", {
    where: `-w ${folder}`,
    fix: "pass an existing folder",
    exitCode: BAD_ARGUMENTS,
  });
}

/** The recipes that signalbox brings; `agents` beside them has the personas that they name. */
export const bundledRecipes = (): string => join(packageFolder(), "recipes");

/** Where recipes are looked for by name, from a working folder. */
export function searchedFolders(flags: Flags, workingDir: string): readonly RecipeFolder[] {
  return recipeFolders({
    workspace: findWorkspace(realpathSync(workingDir)),
    home: signalboxHome(),
    env: process.env,
    named: textsFlag(flags, "recipeDir").map((folder) => resolve(currentFolder(), folder)),
    bundled: bundledRecipes(),
  });
}

/** The recipe that a word on the command line means. */
export function findByWord(word: string | undefined, folders: readonly RecipeFolder[]): FoundRecipe {
  if (word === undefined)
    throw new UserError("no recipe given", {
      where: "signalbox recipe",
      fix: "pass a name or a file; 'signalbox recipe list' shows the names",
      exitCode: BAD_ARGUMENTS,
    });
  return isRecipePath(word) ? recipeAt(word, currentFolder()) : recipeNamed(word, folders);
}
