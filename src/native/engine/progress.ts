import type { LoopEvent } from "../../contract/engine-event.ts";
import type { Message, UserMessage } from "../../contract/message.ts";
import { findLoop, type LoopLimits, type LoopStep, loopWindow } from "../../lib/json/find-loop.ts";
import type { LoopParts } from "./processor.ts";
import { applyMessages, openTrail, type Trail } from "./trail.ts";

/** From when on an agent goes in circles; measured on labelled traces (engine/progress.test.ts). */
const LOOP_LIMITS: LoopLimits = { repeats: 4, cycles: 3, maxPeriod: 12, failures: 8, patience: 10 };
/** How many more steps, and rounds of a long cycle, it gets after it was told. */
const STEPS_AFTER_WARNING = 6;
const ROUNDS_AFTER_WARNING = 2;
/** How often it is told within one run. */
const MAX_WARNINGS = 3;
/** After how many turns that brought nothing new the state is looked at, the agent is told, and its run ends. */
const QUIET = { look: 40, warn: 50, stop: 100 };

/** What to do about the last turn. `look`: the state after it must be known first. */
export type ProgressWord =
  | { readonly kind: "fine" | "look" }
  | { readonly kind: "warn" | "stop"; readonly because: string };

/** Judges what an agent has done: does it repeat itself, or has nothing new come of its last turns? */
export function judgeProgress(trail: Pick<Trail, "steps" | "last" | "quiet">): ProgressWord {
  const circle = trail.last?.isStep === true ? judgeCircle(trail.steps) : FINE;
  return circle.kind === "fine" ? judgeQuiet(trail) : circle;
}

const FINE = { kind: "fine" } as const;

/**
 * The same steps with the same results are a loop only if the state of the work repeats as well: the state is looked at
 * one round before, and compared after the next.
 */
function judgeCircle(steps: readonly LoopStep[]): ProgressWord {
  const { repeats, cycles, failures } = LOOP_LIMITS;
  const loop = findLoop(steps, { ...LOOP_LIMITS, repeats: repeats - 1, cycles: cycles - 1, failures: failures - 1 });
  if (loop === undefined) return FINE;
  const last = steps.at(-1)?.state;
  if (last === undefined) return { kind: "look" };
  if (steps.at(-1 - loop.period)?.state !== last) return FINE;
  const round = steps.slice(-loop.period * loop.repeats);
  const warned = round.findLastIndex(({ isWarned }) => isWarned === true);
  const warnings = steps.filter(({ isWarned }) => isWarned === true).length;
  const { because } = loop;
  if (warned === -1) return { kind: warnings < MAX_WARNINGS ? "warn" : "stop", because };
  const since = round.length - warned;
  const most = Math.max(STEPS_AFTER_WARNING, ROUNDS_AFTER_WARNING * loop.period);
  return since >= most ? { kind: "stop", because } : FINE;
}

/** However long a circle is, and in whatever order it is gone: every call was made before, with the same result. */
function judgeQuiet({ last, quiet }: Pick<Trail, "last" | "quiet">): ProgressWord {
  const { turns, weight, repeated, isTold, isCompared } = quiet;
  if (last === undefined || repeated < QUIET.look) return FINE;
  if (last.state === undefined) return { kind: "look" };
  const because = `the last ${turns} turns brought nothing new`;
  if (isCompared && isTold && weight >= QUIET.stop) return { kind: "stop", because };
  return isCompared && !isTold && weight >= QUIET.warn ? { kind: "warn", because } : FINE;
}

type Watch = () => AsyncGenerator<LoopEvent, string | undefined>;

/** Watches one run of the inner loop. Tells the model when it goes in circles; returns why the run must end, if so. */
export function progressWatch(trail: Trail, { fingerprint, signal }: Pick<LoopParts, "fingerprint" | "signal">): Watch {
  return async function* look() {
    let word = judgeProgress(trail);
    if (word.kind === "look") {
      // Without git nothing is known about the tree, and only the results count.
      trail.noteState((await fingerprint?.(signal)) ?? "unknown");
      word = judgeProgress(trail);
    }
    if (word.kind === "stop") return `${word.because}, and nothing changed, although it was told so`;
    if (word.kind !== "warn") return undefined;
    const { because } = word;
    yield { type: "loop-noticed", because };
    yield { type: "message", message: loopWarning(because) };
    return undefined;
  };
}

const WARNING = "You are going in circles: ";

export const loopWarning = (because: string): UserMessage => ({
  role: "user",
  text: `${WARNING}${because}, and nothing in the workspace has changed. Do not do the same again. Read what the results say and try another way. If you are waiting for something, wait longer between two looks. If you cannot go on, say what is in the way and stop.`,
  source: "jit-instruction",
});

/** A trail that reaches as far back as a loop can. It begins with what a history shows. */
export function progressTrail(history: readonly Message[] = []): Trail {
  const trail = openTrail({
    window: loopWindow(LOOP_LIMITS),
    patience: LOOP_LIMITS.patience,
    isWarning: ({ source, text }) => source === "jit-instruction" && text.startsWith(WARNING),
  });
  applyMessages(history, trail);
  return trail;
}
