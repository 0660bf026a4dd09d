import { cleanEnvironment } from "../lib/clean-environment.ts";
import { isUserError } from "../lib/user-error.ts";
import { checkRunner } from "../recipes/bridge/check-runner.ts";
import { findRunner, RUNNER_VARIABLE } from "../recipes/bridge/find-runner.ts";
import { RECIPE_NOT_FOUND } from "../recipes/places/find-recipe.ts";
import type { CheckResult } from "./check.ts";

interface Place {
  readonly cwd: string;
  /** The program is not started. */
  readonly readOnly: boolean;
}

/** The external recipe runner and its version. Not being installed is not a fault, unless a variable names it. */
export async function checkRecipeRunner(
  env: Readonly<Record<string, string | undefined>>,
  { cwd, readOnly }: Place,
): Promise<CheckResult> {
  const id = "recipe-runner";
  const isChosen = (env[RUNNER_VARIABLE] ?? "") !== "";
  try {
    const found = findRunner(env, cwd);
    if (readOnly)
      return { id, status: "ok", summary: `${found.path} (from ${found.from}); not started inside a session` };
    const { path, from, version, sha256 } = await checkRunner(found, { environment: cleanEnvironment(env) });
    const use = isChosen ? `${RUNNER_VARIABLE} chooses it` : "used with --engine rust";
    return {
      id,
      status: "ok",
      summary: `${version} at ${path} (from ${from}), sha256 ${sha256.slice(0, 12)}…; ${use}`,
      facts: { path, version, sha256 },
    };
  } catch (error) {
    if (!isUserError(error)) throw error;
    if (!isChosen && error.exitCode === RECIPE_NOT_FOUND)
      return { id, status: "absent", summary: "not installed; only --engine rust needs it", fix: error.fix };
    const { message, where, fix } = error;
    return { id, status: isChosen ? "fail" : "warn", summary: `${message} (${where})`, fix };
  }
}
