import { readTrust } from "../../guard/policy/trust.ts";
import { say } from "../../lib/say.ts";
import { refuseDeepSession } from "../../lib/session-depth.ts";
import { EXIT, isUserError, UserError } from "../../lib/user-error.ts";
import { recipeNamed } from "../../recipes/places/find-recipe.ts";
import { besideFolder, type LoadedRecipe, loadRecipe } from "../../recipes/places/load-recipe.ts";
import { untrustedFile } from "../../recipes/places/recipe-trust.ts";
import type { Started } from "./start.ts";

interface TrustPlace {
  readonly isYes: boolean;
  /** The user's signalbox folder. */
  readonly home: string;
}

/** What a repository brings runs by name only if the user trusts it, or says so for once. */
export function checkTrust({ files }: LoadedRecipe, { isYes, home }: TrustPlace): void {
  const file = untrustedFile(files, readTrust(home));
  if (file === undefined || isYes) return;
  throw new UserError("this recipe comes with the repository and is not trusted", {
    where: file.file,
    fix: `read it, then trust it: signalbox trust --yes; or run it once, contained: signalbox recipe run ${file.name} --yes`,
    exitCode: EXIT.failed,
  });
}

/** The refusal of an untrusted recipe where it cannot run contained. */
export function notContained(): UserError {
  return new UserError("this recipe is not trusted, and its commands cannot be contained here", {
    where: "--yes",
    fix: "read it, then trust it: signalbox trust --yes; 'signalbox doctor' says why there is no sandbox",
    exitCode: EXIT.failed,
  });
}

/** The recipe of a step: beside the recipe that names it, or in the usual folders. */
export function subRecipe(
  name: string,
  parent: LoadedRecipe,
  { started, ...place }: TrustPlace & { readonly started: Started },
): LoadedRecipe {
  const folders = [...parent.files.map(besideFolder), ...started.folders];
  const loaded = loadRecipe(recipeNamed(name, folders), folders);
  checkTrust(loaded, place);
  return loaded;
}

/** A recipe may start agents and other recipes, so it counts like a session. */
export async function refuseDeepRecipe(): Promise<void> {
  await asFailure(async () => refuseDeepSession(process.env, say));
}

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
