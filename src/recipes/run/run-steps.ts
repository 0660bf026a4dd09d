import { planSteps, type PlannedStep } from "../recipe/plan-steps.ts";
import type { Context } from "../recipe/recipe.ts";
import { runStep } from "./run-step.ts";
import type { Scope, ScopeEnd } from "./scope.ts";
import type { StepEnd } from "./step-result.ts";

const MAX_AT_ONCE = 16;

/**
 * Runs the steps of a recipe, each as soon as the steps it waits for have ended. After a failure nothing new is
 * started. A step sees what the steps it waits for have put into the context, in the order of the file, so the result
 * does not depend on which of them was faster.
 */
export async function runSteps(scope: Scope): Promise<ScopeEnd> {
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
