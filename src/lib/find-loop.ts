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
