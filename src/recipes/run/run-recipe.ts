import type { LoadedRecipe } from "../places/load-recipe.ts";
import type { Context, Step } from "../recipe/recipe.ts";
import { prepareContext } from "./prepare-context.ts";
import type { RecipeParts } from "./run-parts.ts";
import { runSteps } from "./run-steps.ts";
import { recordBefore } from "./stage-changes.ts";
import { oneAtATime } from "../../lib/one-at-a-time.ts";
import type { RunState, Scope, ScopeEnd } from "./scope.ts";
import type { RecipeResult, StepResult } from "./step-result.ts";

export interface RecipeEnd {
  readonly result: RecipeResult;
  readonly end: ScopeEnd["end"];
}

/** Runs a recipe to its end. Whatever happens in its steps becomes part of the result. */
export async function runRecipe(loaded: LoadedRecipe, passed: Context, parts: RecipeParts): Promise<RecipeEnd> {
  const started = performance.now();
  const { recipe } = loaded;
  const prepared = prepareContext(recipe, passed, parts.options.workingDir);
  for (const message of prepared.warnings) parts.report({ type: "warning", message });
  const run: RunState = {
    parts,
    spent: { steps: 0, usd: 0 },
    oneAgent: oneAtATime(),
    runScope: (scope) => runSteps(scope),
  };
  const scope: Scope = {
    loaded,
    prefix: "",
    context: prepared.context,
    depth: 1,
    limits: recipe.recursion,
    usd: recipe.budget.usd,
    run,
  };
  // Before the first step, so that what commands change is staged too.
  if (prepared.problems.length === 0 && !parts.options.isDryRun && recipe.steps.some(mayStage))
    await recordBefore(parts.options.workingDir, parts);
  const ended =
    prepared.problems.length > 0
      ? { results: [preflight(prepared.problems)], context: prepared.context, end: "failed" as const }
      : await accepted(await runSteps(scope), scope);
  parts.journal.closed(ended.end === "completed");
  return {
    end: ended.end,
    result: {
      recipe_name: recipe.name,
      success: ended.end === "completed",
      step_results: ended.results,
      context: ended.context,
      duration: Math.round(performance.now() - started) / 1000,
    },
  };
}

const mayStage = ({ type, autoStage }: Step) => type === "recipe" || (type === "agent" && autoStage !== false);

/** The step that stands for the checks before the first one. */
export const PREFLIGHT = "preflight-validation";

/** All problems with the context at once, as the result of a step that every caller can read. */
export const preflight = (problems: readonly string[]): StepResult => ({
  step_id: PREFLIGHT,
  status: "failed",
  output: "",
  error: problems.join("; "),
  duration: 0,
});

/** Runs the recipe's own checks on the final state. */
async function accepted(ended: ScopeEnd, { loaded, run }: Scope): Promise<ScopeEnd> {
  const { parts } = run;
  if (ended.end !== "completed" || parts.options.isDryRun) return ended;
  for (const command of loaded.recipe.accept) {
    const request = {
      command,
      context: ended.context,
      env: {},
      folder: parts.options.workingDir,
      timeoutSeconds: parts.options.stepTimeout ?? loaded.recipe.stepTimeout,
      step: "accept",
      place: "inside",
    } as const;
    const outcome = await parts.runShell(request, parts.signal);
    if (outcome.type === "ended" && outcome.code === 0) continue;
    const error = `not accepted: '${command}' ${outcome.type === "ended" ? `exit code ${outcome.code}` : outcome.because}`;
    const result: StepResult = { step_id: "accept", status: "failed", output: "", error, duration: 0 };
    return { ...ended, results: [...ended.results, result], end: "failed" };
  }
  return ended;
}
