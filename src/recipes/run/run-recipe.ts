import { oneAtATime } from "../../lib/process/tasks.ts";
import type { LoadedRecipe } from "../recipe/load-recipe.ts";
import { type PlannedStep, planSteps } from "../recipe/plan-steps.ts";
import type { Context, Step } from "../recipe/recipe.ts";
import { recordBefore } from "./agent-step.ts";
import { prepareContext } from "./prepare-context.ts";
import type { RecipeParts, RunState, Scope, ScopeEnd } from "./run-parts.ts";
import { runStep } from "./run-step.ts";
import type { RecipeResult, StepEnd, StepResult } from "./step-result.ts";

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

const MAX_AT_ONCE = 16;

/**
 * Runs the steps of a recipe, each as soon as the steps it waits for have ended. After a failure nothing new is
 * started. A step sees what the steps it waits for have put into the context, in the order of the file, so the result
 * does not depend on which of them was faster.
 */
async function runSteps(scope: Scope): Promise<ScopeEnd> {
  const planned = planSteps(scope.loaded.recipe);
  const ends: (StepEnd | undefined)[] = planned.map(() => undefined);
  const contexts = contextsOf(scope.context, ends);
  const waiting = new Set(planned);
  const running = new Map<number, Promise<number>>();
  const { signal } = scope.run.parts;
  const start = async ({ step, index, after }: PlannedStep): Promise<number> => {
    ends[index] = await runStep(step, contexts.after(after), scope);
    return index;
  };
  for (let isStopped = false; ;) {
    for (const next of waiting) {
      if (isStopped || signal.aborted || running.size >= MAX_AT_ONCE) break;
      if (!isReady(next, ends)) continue;
      waiting.delete(next);
      running.set(next.index, start(next));
    }
    if (running.size === 0) break;
    const index = await Promise.race(running.values());
    running.delete(index);
    isStopped ||= stopsRun(planned[index], ends[index]);
  }
  return summarise(planned, ends, contexts.all());
}

/** The last step it waits for is usually the one that is missing. */
const isReady = ({ after }: PlannedStep, ends: readonly (StepEnd | undefined)[]) =>
  after.findLast((index) => ends[index] === undefined) === undefined;

function stopsRun(planned: PlannedStep | undefined, end: StepEnd | undefined): boolean {
  if (end?.result.status === "blocked") return true;
  return end?.result.status === "failed" && planned?.step.isFatal !== false;
}

function summarise(
  planned: readonly PlannedStep[],
  ends: readonly (StepEnd | undefined)[],
  context: Context,
): ScopeEnd {
  const stopping = planned.filter(({ index }) => stopsRun(planned[index], ends[index]));
  const isBlocked = stopping.some(({ index }) => ends[index]?.result.status === "blocked");
  const isFailed = stopping.some(({ index }) => ends[index]?.result.status === "failed");
  const isComplete = ends.every((end) => end !== undefined);
  return {
    results: ends.flatMap((end) => end?.result ?? []),
    context,
    isFinal: stopping.some(({ index }) => ends[index]?.isFinal === true),
    end: isFailed || (!isComplete && !isBlocked) ? "failed" : isBlocked ? "blocked" : "completed",
  };
}

/** Contexts of steps. Those after all of the first n steps share one computation. */
function contextsOf(base: Context, ends: readonly (StepEnd | undefined)[]) {
  let prefix = { length: 0, context: base };
  const merge = (start: Context, indexes: readonly number[]): Context =>
    Object.assign({}, start, ...indexes.map((index) => ends[index]?.values ?? {}));
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset);
  return {
    after(indexes: readonly number[]): Context {
      const isPrefix = indexes.length > 0 && indexes.at(-1) === indexes.length - 1;
      if (!isPrefix || indexes.length < prefix.length) return merge(base, indexes);
      prefix = { length: indexes.length, context: merge(prefix.context, range(prefix.length, indexes.length)) };
      return prefix.context;
    },
    all: (): Context => merge(base, range(0, ends.length)),
  };
}
