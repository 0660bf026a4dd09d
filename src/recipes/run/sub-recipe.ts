import { isDeepStrictEqual } from "node:util";
import type { Context, ContextValue, Step } from "../recipe/recipe.ts";
import { fileHashes } from "../places/load-recipe.ts";
import { fillText } from "../template/text-template.ts";
import { prepareContext } from "./prepare-context.ts";
import type { Scope } from "./scope.ts";
import { failedOutcome, type StepOutcome } from "./step-result.ts";

interface SubPlace {
  readonly scope: Scope;
  readonly key: string;
}

/**
 * Runs the recipe of a step. It sees the whole context and the step's overrides; what it changed comes back when it
 * succeeds. Its own limits and validation count too.
 */
export async function subRecipe(step: Step, context: Context, { scope, key }: SubPlace): Promise<StepOutcome> {
  const { parts } = scope.run;
  const name = fillText(step.recipe ?? "", context);
  const loaded = parts.findRecipe(name, scope.loaded);
  if (!parts.journal.isSameRecipe(key, fileHashes(loaded)))
    return failedOutcome(`the recipe ${name} has changed since this run began, so it cannot be continued; restore it`);
  const { recursion, budget } = loaded.recipe;
  const maxDepth = Math.min(scope.limits.maxDepth, scope.depth + recursion.maxDepth);
  if (scope.depth + 1 > maxDepth)
    return failedOutcome(`recipes are nested more than ${scope.limits.maxDepth} levels deep (recursion.max_depth)`);
  const given = { ...context, ...overrides(step.context, context) };
  const prepared = prepareContext(loaded.recipe, given, parts.options.workingDir);
  for (const message of prepared.warnings) parts.report({ type: "warning", message: `${key}: ${message}` });
  if (prepared.problems.length > 0) return failedOutcome(`${name}: ${prepared.problems.join("; ")}`);
  const limits = [scope.usd, budget.usd === undefined ? undefined : scope.run.spent.usd + budget.usd];
  const {
    results,
    context: after,
    end,
    isFinal = false,
  } = await scope.run.runScope({
    loaded,
    prefix: `${key}/`,
    context: prepared.context,
    depth: scope.depth + 1,
    limits: {
      maxDepth,
      maxTotalSteps: Math.min(scope.limits.maxTotalSteps, scope.run.spent.steps + recursion.maxTotalSteps),
    },
    usd: limits.filter((limit) => limit !== undefined).toSorted((one, two) => one - two)[0],
    run: scope.run,
  });
  const last = results.findLast(({ status }) => status === "failed" || status === "blocked");
  if (end !== "completed")
    return {
      ...failedOutcome(last === undefined ? `${name} did not finish` : `${last.step_id}: ${last.error}`, last?.output),
      status: end,
      isFinal,
    };
  const output = `${loaded.recipe.name}: ${results.map(({ step_id: id, status }) => `${id} ${status}`).join(", ")}`;
  const changed = Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(value, context[field]));
  const own = step.output === undefined ? {} : { [step.output]: output };
  return { status: "completed", output, error: "", values: { ...Object.fromEntries(changed), ...own } };
}

/** Texts in the overrides are templates. */
function overrides(values: Context, context: Context): Context {
  const fill = (value: ContextValue): ContextValue => (typeof value === "string" ? fillText(value, context) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}
