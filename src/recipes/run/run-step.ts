import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, isUserError, messageOf } from "../../lib/text/user-error.ts";
import { ConditionError, holds } from "../language/condition.ts";
import { lookUp, textOf } from "../language/text-template.ts";
import type { Context, ContextValue, ForEach, Step } from "../recipe/recipe.ts";
import { askAgent } from "./agent-step.ts";
import { doStep } from "./do-step.ts";
import type { RecipeOptions, Scope } from "./run-parts.ts";
import { stepHooks, stepSeconds } from "./shell-step.ts";
import { extractJson, failedOutcome, type StepEnd, type StepOutcome, storedValue } from "./step-result.ts";

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
  const outcome = early ?? (await work(step, context, scope, key));
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
function keptOutput({ isFatal, output: name, parseJson }: Step, { status, output }: StepOutcome): Context {
  if (status !== "failed" || isFatal || name === undefined) return {};
  return { [name]: (parseJson ? extractJson(output) : undefined) ?? storedValue(output) };
}

/** The end of a step that does not run: by its tags, its condition, or because nothing does. */
function skipped(step: Step, context: Context, options: RecipeOptions): StepOutcome | undefined {
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

function dryRun({ id, parseJson, output }: Step): StepOutcome {
  return {
    status: "skipped",
    output: parseJson ? JSON.stringify({ dry_run: true, step: id }) : "[dry run]",
    error: "",
    values: output === undefined ? {} : { [output]: "(dry-run)" },
  };
}

/** The work of a step with everything around it: limits, hooks, repetitions, attempts, recovery. */
async function work(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  const { hooks } = scope.loaded.recipe;
  const { limits } = scope;
  if (++scope.run.spent.steps > limits.maxTotalSteps)
    return failedOutcome(`this run has more than ${limits.maxTotalSteps} steps (recursion.max_total_steps)`);
  const hook = stepHooks(step, context, scope);
  await hook(hooks.preStep, "");
  const { forEach } = step;
  const tried =
    forEach === undefined
      ? await attempts(step, context, scope, key)
      : await repeated({ ...step, forEach }, context, scope, key);
  const outcome =
    tried.status === "failed" && step.recoveryOnFailure && tried.isFinal !== true
      ? await recoverStep(step, tried, scope, key)
      : tried;
  const isFailed = outcome.status === "failed" || outcome.status === "blocked";
  await hook(isFailed ? hooks.onError : hooks.postStep, outcome.status);
  return outcome;
}

const MAX_ITEMS = 1000;

/**
 * Runs a step for each item. Its output is the list of their outputs. After a failure no further item is started, unless
 * the step may fail.
 */
async function repeated(
  step: Step & { readonly forEach: ForEach },
  context: Context,
  scope: Scope,
  key: string,
): Promise<StepOutcome> {
  const { as, parallel } = step.forEach;
  const items = itemsOf(step.forEach, context);
  if (typeof items === "string") return failedOutcome(items);
  const ends: (StepOutcome | undefined)[] = items.map(() => undefined);
  let next = 0;
  const isGood = (end: StepOutcome | undefined) => end === undefined || !["failed", "blocked"].includes(end.status);
  const { signal } = scope.run.parts;
  const isOver = () =>
    signal.aborted || ends.some((end) => !isGood(end) && (step.isFatal || end?.status === "blocked"));
  const worker = async (): Promise<void> => {
    while (next < items.length && !isOver()) {
      const index = next++;
      const inner = { ...context, [as]: items[index], index };
      ends[index] = await oneItem(step, inner, scope, `${key}[${index}]`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
  const values = ends.map((end) => (end === undefined ? null : storedOf(end, step)));
  const bad = ends.findIndex((end) => !isGood(end));
  const failure = ends.find((end) => end?.status === "blocked") ?? ends[bad];
  if (failure !== undefined)
    return {
      status: failure.status,
      output: step.isFatal ? failure.output : JSON.stringify(values),
      error: `item ${ends.indexOf(failure)}: ${failure.error}`,
      values: {},
    };
  if (ends.includes(undefined)) return failedOutcome("interrupted");
  const isDegraded = ends.some((end) => end?.status === "degraded");
  return {
    status: isDegraded ? "degraded" : "completed",
    output: JSON.stringify(values),
    error: ends.find((end) => end?.status === "degraded")?.error ?? "",
    values: step.output === undefined ? {} : { [step.output]: values },
  };
}

/** The result of one item, or the one that an earlier start recorded. */
async function oneItem(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  const { journal, signal, report } = scope.run.parts;
  const known = journal.finished(key);
  if (known !== undefined) return toOutcome(known);
  const started = performance.now();
  report({ type: "step-start", key, kind: step.type });
  journal.begin(key);
  const outcome = await attempts(step, context, scope, key);
  const { status, output, error, values } = outcome;
  const duration = Math.round(performance.now() - started) / 1000;
  const id = `${step.id}${key.slice(key.lastIndexOf("["))}`;
  const end: StepEnd = { result: { step_id: id, status, output, error, duration }, values };
  journal.end(key, end, !signal.aborted && status !== "failed" && status !== "blocked");
  report({ type: "step-end", key, end, isReused: false });
  return outcome;
}

function toOutcome({ result, values }: StepEnd): StepOutcome {
  const { status, output, error } = result;
  return { status: status === "skipped" ? "completed" : status, output, error, values };
}

function storedOf(end: StepOutcome, { output }: Step): ContextValue {
  if (output !== undefined && Object.hasOwn(end.values, output)) return end.values[output];
  return storedValue(end.output);
}

/** The items, or why there are none. */
function itemsOf({ items }: ForEach, context: Context): readonly ContextValue[] | string {
  const name = typeof items === "string" ? items.replace(/^\{\{(.+)\}\}$/, "$1") : "";
  const found = typeof items === "string" ? lookUp(context, name) : items;
  const list: ContextValue = typeof found === "string" ? storedValue(found) : found;
  if (!Array.isArray(list)) return `for_each needs a list, but '${name}' is not one`;
  return list.length > MAX_ITEMS ? `for_each has more than ${MAX_ITEMS} items` : list;
}

async function attempts(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  const { signal } = scope.run.parts;
  const { times, backoff } = step.retry;
  let failure = "";
  for (let attempt = 0; ; attempt++) {
    const inner = times === 0 ? context : { ...context, attempt: attempt + 1, failure };
    const outcome = await outcomeOf(step, inner, scope, attemptKey(step, key, attempt));
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
async function outcomeOf(step: Step, context: Context, scope: Scope, key: string): Promise<StepOutcome> {
  try {
    return await doStep(step, context, scope, key);
  } catch (error) {
    if (!isUserError(error)) throw error;
    const what = `${messageOf(error)}${error.where === undefined ? "" : ` (${error.where})`}; ${error.fix}`;
    return { ...failedOutcome(what), isFinal: error.isAboutAccess || NO_PROGRAM.includes(error.exitCode) };
  }
}

const MAX_QUOTED = 8000;

/** Asks an agent once to repair what a failed step left. The step counts as done only if the agent says so. */
async function recoverStep(step: Step, failed: StepOutcome, scope: Scope, key: string): Promise<StepOutcome> {
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
    scope,
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
