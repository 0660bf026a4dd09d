import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../../lib/path/inside.ts";

/** Where recipes come from. What a repository contains needs trust; everything else was put there by the user. */
export type RecipeOrigin = "flag" | "repository" | "environment" | "user" | "bundled";

export interface RecipeFolder {
  readonly path: string;
  readonly origin: RecipeOrigin;
}

export interface FolderSearch {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders that the user named with -R. Only these are searched then. */
  readonly named: readonly string[];
  /** The folder with the recipes that signalbox brings. */
  readonly bundled: string;
}

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
