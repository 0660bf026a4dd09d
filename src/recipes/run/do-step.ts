import { isDeepStrictEqual } from "node:util";
import { fillText, lookUp, referencesIn } from "../language/text-template.ts";
import { fileHashes } from "../recipe/load-recipe.ts";
import type { Context, ContextValue, Step } from "../recipe/recipe.ts";
import { agentStep } from "./agent-step.ts";
import { prepareContext } from "./prepare-context.ts";
import type { Scope } from "./run-parts.ts";
import { describeShell, stepSeconds, stepShell } from "./shell-step.ts";
import { failedOutcome, outcomeOfOutput, type StepOutcome } from "./step-result.ts";

/** Does the work of a step once, and checks it. */
export async function doStep(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  warnMissing(step, context, scope, key);
  const outcome = await byType(step, context, scope, key);
  if (outcome.status !== "completed" && outcome.status !== "degraded") return outcome;
  for (const command of step.accept) {
    const checked = await stepShell(command, step, { ...context, ...outcome.values }, scope);
    if (checked.type === "ended" && checked.code === 0) continue;
    const why = `not accepted: '${command}' ${describeShell(checked, stepSeconds(step, scope))}`;
    const output = checked.type === "ended" ? checked.stdout.trimEnd() : "";
    return checked.type === "blocked"
      ? { ...outcome, status: "blocked", error: why, values: {} }
      : failedOutcome(why, output === "" ? outcome.output : output);
  }
  return outcome;
}

async function byType(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  switch (step.type) {
    case "bash":
      return await bashStep(step, context, scope);
    case "agent":
      return await agentStep(step, context, scope, key);
    case "recipe":
      return await subRecipe(step, context, scope, key);
    case "approval":
      return await approvalStep(step, context, scope, key);
  }
}

async function bashStep(step: Step, context: Context, scope: Scope): Promise<StepOutcome> {
  const outcome = await stepShell(step.command ?? "", step, context, scope);
  if (outcome.type === "blocked") return { ...failedOutcome(outcome.because), status: "blocked" };
  if (outcome.type === "refused") return failedOutcome(outcome.because);
  const output = outcome.stdout.trimEnd();
  if (scope.run.parts.signal.aborted) return failedOutcome("interrupted", output);
  if (outcome.code !== 0) return failedOutcome(describeShell(outcome, stepSeconds(step, scope)), output);
  return outcomeOfOutput(step, output);
}

async function approvalStep(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  const question = fillText(step.approval ?? "", context);
  const answer = await scope.run.parts.ask(key, question);
  if (answer === true) return outcomeOfOutput(step, "approved");
  if (answer === false) return failedOutcome("the person said no");
  return { ...failedOutcome(`needs approval: ${question}`), status: "blocked" };
}

function warnMissing(step: Step, context: Context, scope: Scope, key: string): void {
  const texts = [step.command, step.prompt, step.workingDir, step.approval];
  const names = texts.flatMap((text) => (text === undefined ? [] : referencesIn(text)));
  const missing = [...new Set(names)].filter((name) => lookUp(context, name) === undefined);
  if (missing.length === 0) return;
  const shown = missing.map((name) => `{{${name}}}`).join(", ");
  scope.run.parts.report({ type: "warning", message: `${key}: ${shown} has no value and becomes empty` });
}

/**
 * Runs the recipe of a step. It sees the whole context and the step's overrides; what it changed comes back when it
 * succeeds. Its own limits and validation count too.
 */
async function subRecipe(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
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
