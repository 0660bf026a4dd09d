import { isTrusted, readTrust, type TrustedFile } from "../../guard/policy/trust.ts";
import { refuseDeepSession } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { type FoundRecipe, recipeNamed } from "./find-recipe.ts";
import { besideFolder, type LoadedRecipe, loadRecipe } from "./load-recipe.ts";
import type { RecipeFolder } from "./recipe-folders.ts";

/**
 * The file of a recipe that may not run yet, because it was found by name in the repository and nobody has trusted it
 * in this version. Undefined when all may run.
 */
export function untrustedFile(files: readonly FoundRecipe[], trusted: readonly TrustedFile[]): FoundRecipe | undefined {
  return files.find((file) => file.origin === "repository" && !isTrusted(trusted, file.file, file.text));
}

/** Whether a recipe comes with signalbox, with everything that it extends. */
export const isBundled = (files: readonly FoundRecipe[]): boolean => files.every(({ origin }) => origin === "bundled");

/** Whether a recipe may say itself that a step leaves the sandbox: it is the user's own, ours, or trusted. */
export function mayLeaveSandbox(files: readonly FoundRecipe[], trusted: readonly TrustedFile[]): boolean {
  return files.every(
    ({ origin, file, text }) => origin === "user" || origin === "bundled" || isTrusted(trusted, file, text),
  );
}

/** What a repository brings runs by name only if the user trusts it, or says so for once (`isYes`). */
export function checkTrust({ files }: LoadedRecipe, home: string, isYes: boolean): void {
  const file = untrustedFile(files, readTrust(home));
  if (file === undefined || isYes) return;
  throw new UserError("this recipe comes with the repository and is not trusted", {
    where: file.file,
    fix: `read it, then trust it: signalbox trust --yes; or run it once, contained: signalbox recipe run ${file.name} --yes`,
    exitCode: EXIT.failed,
  });
}

/** The refusal of an untrusted recipe where it cannot run contained. */
export const notContained = () =>
  new UserError("this recipe is not trusted, and its commands cannot be contained here", {
    where: "--yes",
    fix: "read it, then trust it: signalbox trust --yes; 'signalbox doctor' says why there is no sandbox",
    exitCode: EXIT.failed,
  });

/** Finds the recipe of a step: beside the recipe that names it, or in the usual folders. Throws if it may not run. */
export const stepRecipes =
  (usual: readonly RecipeFolder[], home: string, isYes: boolean) =>
  (name: string, { files }: LoadedRecipe): LoadedRecipe => {
    const folders = [...files.map(besideFolder), ...usual];
    const loaded = loadRecipe(recipeNamed(name, folders), folders);
    checkTrust(loaded, home, isYes);
    return loaded;
  };

/** A recipe may start agents and other recipes, so it counts like a session. */
export const refuseDeepRecipe = (): Promise<void> => asFailure(async () => refuseDeepSession(process.env, say));

/** A refusal has an exit code that means something else for recipes. */
export async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUserError(error) || error.exitCode !== EXIT.refused) throw error;
    const { message, where, fix } = error;
    throw new UserError(message, {
      ...(where === undefined ? {} : { where }),
      fix,
      exitCode: EXIT.failed,
      cause: error,
    });
  }
}
