import { isTrusted, type TrustedFile } from "../../guard/policy/trust.ts";
import type { FoundRecipe } from "./find-recipe.ts";

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
