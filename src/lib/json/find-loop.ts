import { canonicalJson, isRecord } from "./json-value.ts";
import { sha256 } from "./sha256.ts";

/** One thing that an agent did, with what came of it. */
export interface LoopStep {
  /** Equal keys mean that the same was done with the same result. */
  readonly key: string;
  /** Why it failed, where everything in the step did. */
  readonly failure?: string | undefined;
  /** It waits for something else to happen, so that repeating it is what it is for. */
  readonly waits: boolean;
  /** The state of the work after it, where somebody looked. */
  readonly state?: string | undefined;
  /** The agent was told before this step that it goes in circles. */
  readonly isWarned?: boolean;
}

export interface LoopLimits {
  /** How often one step may come in a row. */
  readonly repeats: number;
  /** How often a cycle of several steps may come in a row. */
  readonly cycles: number;
  /** The longest cycle that is looked for, in steps. */
  readonly maxPeriod: number;
  /** How many different steps in a row may fail for the same reason. */
  readonly failures: number;
  /** How many times more often steps that wait may come. */
  readonly patience: number;
}

/** The same steps with the same results, again and again, at the end of what was done. */
export interface Loop {
  /** The steps of one round. */
  readonly period: number;
  /** How many rounds. */
  readonly repeats: number;
  readonly because: string;
}

/** The loop in which the steps end, if they do. Looks at nothing but the steps, and not at who did them. */
export function findLoop(steps: readonly LoopStep[], limits: LoopLimits): Loop | undefined {
  for (let period = 1; period <= limits.maxPeriod; period++) {
    const repeats = repeatsOf(steps, period);
    const usual = period === 1 ? limits.repeats : limits.cycles;
    if (repeats > patient(usual, steps.slice(-period), limits))
      return { period, repeats, because: inWords(period, repeats) };
  }
  const failed = sameFailures(steps);
  if (failed <= patient(limits.failures, steps.slice(-failed), limits)) return undefined;
  return { period: 1, repeats: failed, because: `the last ${failed} steps all failed for the same reason` };
}

/** The most steps that `findLoop` looks at. */
export const loopWindow = ({ repeats, cycles, maxPeriod, patience, failures }: LoopLimits): number =>
  Math.max((repeats + 1) * patience, (cycles + 1) * maxPeriod, failures + 1);

const patient = (most: number, steps: readonly LoopStep[], { patience }: LoopLimits) =>
  steps.some(({ waits }) => waits) ? most * patience : most;

/** How many times the last steps, this many of them, came in a row. */
function repeatsOf(steps: readonly LoopStep[], period: number): number {
  let same = 0;
  for (let at = steps.length - 1; at >= period; at--) {
    if (steps[at]?.key !== steps[at - period]?.key) break;
    same++;
  }
  return Math.floor(same / period) + 1;
}

function sameFailures(steps: readonly LoopStep[]): number {
  const reason = steps.at(-1)?.failure;
  if (reason === undefined) return 0;
  const other = steps.findLastIndex(({ failure }) => failure !== reason);
  return steps.length - 1 - other;
}

const inWords = (period: number, repeats: number) =>
  period === 1
    ? `the same call had the same result ${repeats} times in a row`
    : `the same ${period} calls had the same results ${repeats} times in a row`;

/** A call and its result, by whatever agent. */
export interface CallAndResult {
  readonly name: string;
  readonly input: unknown;
  readonly result: string;
  readonly failed: boolean;
}

/** The calls of one answer as a step; undefined when none of them does or looks at anything. */
export function loopStep(calls: readonly CallAndResult[]): LoopStep | undefined {
  const telling = calls.filter(({ name }) => name !== "report_intent");
  if (telling.length === 0) return undefined;
  const keys = telling.map(callKey);
  const reasons = new Set(telling.map(({ failed, result }) => (failed ? shownText(result) : undefined)));
  const [failure] = reasons.size === 1 ? reasons : [];
  return { key: sha256(keys.toSorted().join("\n")), failure, waits: telling.some(isWaiting) };
}

/** Equal for calls that did the same with the same result. */
export const callKey = ({ name, input, result }: CallAndResult) => canonicalJson([name, input, shownText(result)]);

/**
 * A result without what differs from one moment to the next: times of day, durations, and our own files for output that
 * is too long to show. Other numbers stay, because a count that goes up or down is progress.
 */
const shownText = (text: string) =>
  text
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "DATE")
    .replaceAll(/\b\d?\d:\d\d:\d\d(?:[.,]\d+)?/g, "TIME")
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|µs|ns|s|secs?|seconds?|m|mins?|minutes?)\b/g, "DURATION")
    .replaceAll(/\b(?:output|text)-[0-9a-f]{8,12}(?:-\d+)?\.txt\b/g, "FILE")
    .trim();

/** Tools that ask how something is doing that runs by itself. */
const ASKING = /^(?:read_bash|read_task|read_agent|wait_agent|BashOutput|TaskOutput|write_stdin)$/;

const WAITING_COMMAND = /(?<![-\w])(?:sleep|wait|watch)(?![-\w])|\btail\s+-[fF]\b|--(?:watch|wait)(?!\S)/;

const WAITING_RESULT =
  /\b(?:in[_ -]progress|queued|pending|still (?:running|building)|not (?:yet )?ready|starting|waiting|connection refused)\b/i;

/** A longer result is a text with such a word in it, and not the state of something. */
const MAX_STATE = 400;

function isWaiting({ name, input, result }: CallAndResult): boolean {
  const command = isRecord(input) ? input["command"] : undefined;
  return (
    ASKING.test(name) ||
    (typeof command === "string" && WAITING_COMMAND.test(command)) ||
    (typeof command === "string" && result.length <= MAX_STATE && WAITING_RESULT.test(result))
  );
}
