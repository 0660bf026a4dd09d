import type { Context, ContextValue, ForEach, Step } from "../recipe/recipe.ts";
import { lookUp } from "../language/text-template.ts";
import { failedOutcome, type StepEnd, type StepOutcome, storedValue } from "./step-result.ts";
import type { Scope } from "./run-parts.ts";

const MAX_ITEMS = 1000;

interface Repetition {
  readonly step: Step;
  readonly context: Context;
  readonly key: string;
  readonly scope: Scope;
  readonly once: (context: Context, key: string) => Promise<StepOutcome>;
}

/**
 * Runs a step for each item. Its output is the list of their outputs. After a failure no further item is started, unless
 * the step may fail.
 */
export async function repeatStep(forEach: ForEach, repetition: Repetition): Promise<StepOutcome> {
  const { step, context } = repetition;
  const items = itemsOf(forEach, context);
  if (typeof items === "string") return failedOutcome(items);
  const ends: (StepOutcome | undefined)[] = items.map(() => undefined);
  let next = 0;
  const isGood = (end: StepOutcome | undefined) => end === undefined || !["failed", "blocked"].includes(end.status);
  const { signal } = repetition.scope.run.parts;
  const isOver = () =>
    signal.aborted || ends.some((end) => !isGood(end) && (step.isFatal || end?.status === "blocked"));
  const worker = async (): Promise<void> => {
    while (next < items.length && !isOver()) {
      const index = next++;
      const inner = { ...context, [forEach.as]: items[index], index };
      ends[index] = await oneItem(index, inner, repetition);
    }
  };
  await Promise.all(Array.from({ length: Math.min(forEach.parallel, items.length) }, worker));
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
async function oneItem(index: number, context: Context, repetition: Repetition): Promise<StepOutcome> {
  const { key, scope, once, step } = repetition;
  const { journal, signal, report } = scope.run.parts;
  const itemKey = `${key}[${index}]`;
  const known = journal.finished(itemKey);
  if (known !== undefined) return toOutcome(known);
  const started = performance.now();
  report({ type: "step-start", key: itemKey, kind: step.type });
  journal.begin(itemKey);
  const outcome = await once(context, itemKey);
  const { status, output, error, values } = outcome;
  const duration = Math.round(performance.now() - started) / 1000;
  const end: StepEnd = { result: { step_id: `${step.id}[${index}]`, status, output, error, duration }, values };
  journal.end(itemKey, end, !signal.aborted && status !== "failed" && status !== "blocked");
  report({ type: "step-end", key: itemKey, end, isReused: false });
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
