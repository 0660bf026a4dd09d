import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, isUserError, messageOf } from "../../lib/text/user-error.ts";
import { ConditionError, holds } from "../language/condition.ts";
import { textOf } from "../language/text-template.ts";
import type { Context, Step } from "../recipe/recipe.ts";
import { askAgent } from "./agent-step.ts";
import { doStep } from "./do-step.ts";
import { repeatStep } from "./for-each.ts";
import type { RecipeOptions, Scope } from "./run-parts.ts";
import { runHook, stepSeconds } from "./shell-step.ts";
import {
  extractJson,
  failedOutcome,
  type StepEnd,
  type StepOutcome,
  type StepStatus,
  storedValue,
} from "./step-result.ts";

/** Runs one step to its end, or takes the end that an earlier start of the same run recorded. */
export async function runStep(step: Step, context: Context, scope: Scope): Promise<StepEnd> {
  const { journal, report, options, signal } = scope.run.parts;
  const key = `${scope.prefix}${step.id}`;
  const known = journal.finished(key);
  if (known !== undefined) {
    report({ type: "step-end", key, end: known, isReused: true });
    return known;
  }
  const started = performance.now();
  const early = skipped(step, context, options);
  report({ type: "step-start", key, kind: early === undefined ? step.type : "skipped" });
  if (early === undefined) journal.begin(key);
  const outcome = early ?? (await work(step, context, { scope, key }));
  const { status, output, error } = outcome;
  const values = early === undefined ? { ...keptOutput(step, outcome), ...outcome.values } : outcome.values;
  const duration = Math.round(performance.now() - started) / 1000;
  const isFinal = status === "failed" && outcome.isFinal === true;
  const end: StepEnd = { result: { step_id: step.id, status, output, error, duration }, values, isFinal };
  // A step that was interrupted is done again, whatever it returned.
  const isDone = status === "failed" ? !step.isFatal : status !== "blocked";
  journal.end(key, end, isDone && (!signal.aborted || early !== undefined));
  report({ type: "step-end", key, end, isReused: false });
  return end;
}

/** Later steps get the output of a step that may fail, too. */
function keptOutput({ isFatal, output: name, parseJson }: Step, { status, output }: EarlyEnd): Context {
  if (status !== "failed" || isFatal || name === undefined) return {};
  return { [name]: (parseJson ? extractJson(output) : undefined) ?? storedValue(output) };
}

interface EarlyEnd extends Omit<StepOutcome, "status"> {
  readonly status: StepStatus;
}

/** The end of a step that does not run: by its tags, its condition, or because nothing does. */
function skipped(step: Step, context: Context, options: RecipeOptions): EarlyEnd | undefined {
  const nothing = { output: "", error: "", values: {} };
  if (!isWanted(step, options)) return { ...nothing, status: "skipped" };
  if (options.isDryRun) return dryRun(step);
  if (step.condition === undefined || step.condition.trim() === "") return undefined;
  try {
    return holds(step.condition, context) ? undefined : { ...nothing, status: "skipped" };
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return failedOutcome(`Condition error: ${error.message}`);
  }
}

function isWanted({ whenTags }: Step, { includeTags, excludeTags }: RecipeOptions): boolean {
  if (whenTags.length === 0) return true;
  if (whenTags.some((tag) => excludeTags.includes(tag))) return false;
  return includeTags.length === 0 || whenTags.some((tag) => includeTags.includes(tag));
}

function dryRun({ id, parseJson, output }: Step): EarlyEnd {
  return {
    status: "skipped",
    output: parseJson ? JSON.stringify({ dry_run: true, step: id }) : "[dry run]",
    error: "",
    values: output === undefined ? {} : { [output]: "(dry-run)" },
  };
}

interface StepPlace {
  readonly scope: Scope;
  readonly key: string;
}

/** The work of a step with everything around it: limits, hooks, repetitions, attempts, recovery. */
async function work(step: Step, context: Context, { scope, key }: StepPlace): Promise<StepOutcome> {
  const { hooks } = scope.loaded.recipe;
  const { limits } = scope;
  if (++scope.run.spent.steps > limits.maxTotalSteps)
    return failedOutcome(`this run has more than ${limits.maxTotalSteps} steps (recursion.max_total_steps)`);
  await runHook(hooks.preStep, { step, context, scope, status: "" });
  const once = (inner: Context, innerKey: string) => attempts(step, inner, { scope, key: innerKey });
  const tried =
    step.forEach === undefined
      ? await once(context, key)
      : await repeatStep(step.forEach, { step, context, key, scope, once });
  const outcome =
    tried.status === "failed" && step.recoveryOnFailure && tried.isFinal !== true
      ? await recoverStep(step, tried, { scope, key })
      : tried;
  const isFailed = outcome.status === "failed" || outcome.status === "blocked";
  await runHook(isFailed ? hooks.onError : hooks.postStep, { step, context, scope, status: outcome.status });
  return outcome;
}

async function attempts(step: Step, context: Context, { scope, key }: StepPlace): Promise<StepOutcome> {
  const { signal } = scope.run.parts;
  const { times, backoff } = step.retry;
  let failure = "";
  for (let attempt = 0; ; attempt++) {
    const inner = times === 0 ? context : { ...context, attempt: attempt + 1, failure };
    const outcome = await outcomeOf(step, inner, { scope, key: attemptKey(step, key, attempt) });
    failure = describeFailure(outcome);
    if (outcome.status !== "failed" || attempt >= times || signal.aborted || outcome.isFinal === true) return outcome;
    const wait = backoff * 2 ** attempt;
    scope.run.parts.report({
      type: "warning",
      message: `${key} failed and is tried again${wait > 0 ? ` in ${wait} s` : ""}: ${textOf(outcome.error).slice(0, 200)}`,
    });
    await sleep(Math.min(wait, MAX_WAIT) * 1000, undefined, { signal }).catch(() => undefined);
  }
}

/** Seconds. */
const MAX_WAIT = 3600;

/** The steps of a sub-recipe are done again in each attempt, so each attempt has its own keys in the journal. */
const attemptKey = ({ type }: Step, key: string, attempt: number) =>
  type === "recipe" && attempt > 0 ? `${key}#${attempt + 1}` : key;

const MAX_FAILURE = 8000;

/** What the next attempt is told. The end of an output usually says most. */
const describeFailure = ({ error, output }: StepOutcome) =>
  [error, output.slice(-MAX_FAILURE)].filter((part) => part !== "").join("\n");

const NO_PROGRAM: readonly number[] = [EXIT.notFound, EXIT.notRunnable];

/** A mistake in the recipe or its values fails the step. */
async function outcomeOf(step: Step, context: Context, place: StepPlace): Promise<StepOutcome> {
  try {
    return await doStep(step, context, place);
  } catch (error) {
    if (!isUserError(error)) throw error;
    const what = `${messageOf(error)}${error.where === undefined ? "" : ` (${error.where})`}; ${error.fix}`;
    return { ...failedOutcome(what), isFinal: error.isAboutAccess || NO_PROGRAM.includes(error.exitCode) };
  }
}

interface RecoverPlace {
  readonly scope: Scope;
  readonly key: string;
}

const MAX_QUOTED = 8000;

/** Asks an agent once to repair what a failed step left. The step counts as done only if the agent says so. */
async function recoverStep(step: Step, failed: StepOutcome, place: RecoverPlace): Promise<StepOutcome> {
  const { scope, key } = place;
  const prompt = [
    `The step '${step.id}' of the recipe '${scope.loaded.recipe.name}' failed: ${failed.error.slice(0, MAX_QUOTED)}`,
    failed.output === "" ? "" : `Its output was:\n${failed.output.slice(-MAX_QUOTED)}`,
    "Find the cause and repair it. End your answer with the line 'STATUS: COMPLETE' if the step's goal is reached now, or 'STATUS: FAILED' and the reason if not.",
  ];
  const answer = await askAgent(
    {
      prompt: prompt.filter((part) => part !== "").join("\n\n"),
      persona: undefined,
      model: step.model,
      folder: scope.run.parts.options.workingDir,
      timeoutSeconds: stepSeconds(step, scope),
      backend: step.backend,
      maxBudgetUsd: undefined,
      step: key,
    },
    place,
  );
  if (!answer.ok || !saysRecovered(answer.text)) return { ...failed, error: `${failed.error} (recovery failed)` };
  return { status: "completed", output: answer.text.trimEnd(), error: "", values: {} };
}

/** "could not be recovered" is no recovery, and neither is an answer that says both. */
export function saysRecovered(text: string): boolean {
  if (/status:\s*(?:failed|incomplete|not\s+complete)/i.test(text)) return false;
  if (/\b(?:not|n[o']t|cannot|can't|never|unable|failed|without)\b[^.\n]{0,60}\brecover/i.test(text)) return false;
  return /status:\s*complete\b|\brecovered\b/i.test(text) && !/\b(?:un|non-?)recovered\b/i.test(text);
}
