import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isFolder } from "../../lib/path/find-program.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInside } from "../../lib/path/inside.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { RECIPE_EXIT } from "./recipe.ts";

/** Where recipes come from. What a repository contains needs trust; everything else was put there by the user. */
export type RecipeOrigin = "flag" | "repository" | "environment" | "user" | "bundled";

export interface RecipeFolder {
  readonly path: string;
  readonly origin: RecipeOrigin;
}

interface FolderSearch {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders that the user named with -R. Only these are searched then. */
  readonly named: readonly string[];
  /** The folder with the recipes that signalbox brings. */
  readonly bundled: string;
}

/** The recipes that signalbox brings; `agents` beside them has the personas that they name. */
export const bundledRecipes = (): string => join(packageFolder(), "recipes");

/** The folder in which a recipe works: the one that the user named, or the current one. */
export function workingFolder(named = "."): string {
  const folder = resolve(currentFolder(), named);
  if (isFolder(folder)) return folder;
  throw new UserError("this folder does not exist", {
    where: `-w ${folder}`,
    fix: "pass an existing folder",
    exitCode: RECIPE_EXIT.badArguments,
  });
}

/** Where recipes are looked for by name from a working folder, or only in `named`. */
export const searchedFolders = (named: readonly string[], workingDir: string): readonly RecipeFolder[] =>
  recipeFolders({
    workspace: findWorkspace(realpathSync(workingDir)),
    home: signalboxHome(),
    env: process.env,
    named: named.map((folder) => resolve(currentFolder(), folder)),
    bundled: bundledRecipes(),
  });

const IN_REPOSITORY = [".signalbox/recipes", ".claude/recipes", "amplifier-bundle/recipes"];

/** The folders in which a recipe is looked up by name. The first one that has it wins. */
export function recipeFolders({ workspace, home, env, named, bundled }: FolderSearch): readonly RecipeFolder[] {
  if (named.length > 0) return named.map((path) => ({ path, origin: "flag" }));
  const { RECIPE_RUNNER_RECIPE_DIRS: listed = "", AMPLIHACK_HOME: other = "" } = env;
  const fromEnvironment = [
    ...listed.split(delimiter).filter((path) => isAbsolute(path)),
    ...(isAbsolute(other) ? [join(other, "amplifier-bundle/recipes"), join(other, ".claude/recipes")] : []),
  ];
  return [
    ...IN_REPOSITORY.map((path): RecipeFolder => ({ path: join(workspace, path), origin: "repository" })),
    ...fromEnvironment.map((path): RecipeFolder => ({
      path,
      origin: isInsideReal(path, workspace) ? "repository" : "environment",
    })),
    { path: join(home, "recipes"), origin: "user" },
    { path: bundled, origin: "bundled" },
  ];
}

/** A variable that points into the repository does not make its recipes the user's own. */
function isInsideReal(path: string, workspace: string): boolean {
  try {
    return isInside(realpathSync(path), realpathSync(workspace));
  } catch {
    // A folder that does not exist has no recipes.
    return isInside(path, workspace);
  }
}
