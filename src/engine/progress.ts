import type { LoopEvent } from "../contract/engine-event.ts";
import type { Message, ToolMessage, UserMessage } from "../contract/message.ts";
import { findLoop, type Loop, type LoopLimits, type LoopStep, loopWindow } from "../lib/find-loop.ts";
import { loopStep } from "../lib/loop-step.ts";
import type { LoopParts } from "./parts.ts";

/** From when on an agent goes in circles; measured on labelled traces (engine/progress.test.ts). */
const LOOP_LIMITS: LoopLimits = { repeats: 4, cycles: 3, maxPeriod: 12, failures: 8, patience: 10 };
/** How many more steps, and rounds of a long cycle, it gets after it was told. */
const STEPS_AFTER_WARNING = 6;
const ROUNDS_AFTER_WARNING = 2;
/** How often it is told within one run. */
const MAX_WARNINGS = 3;

/** What to do about the last step. `look`: the state after it must be known first. */
export type ProgressWord = { readonly kind: "fine" | "look" } | { readonly kind: "warn" | "stop"; readonly loop: Loop };

/**
 * Judges the steps of a run. The same steps with the same results are a loop only if the state of the work repeats as
 * well: the state is looked at one round before, and compared after the next.
 */
export function judgeProgress(steps: readonly LoopStep[], limits = LOOP_LIMITS): ProgressWord {
  const { repeats, cycles, failures } = limits;
  const loop = findLoop(steps, { ...limits, repeats: repeats - 1, cycles: cycles - 1, failures: failures - 1 });
  if (loop === undefined) return { kind: "fine" };
  const last = steps.at(-1)?.state;
  if (last === undefined) return { kind: "look" };
  if (steps.at(-1 - loop.period)?.state !== last) return { kind: "fine" };
  const round = steps.slice(-loop.period * loop.repeats);
  const warned = round.findLastIndex(({ isWarned }) => isWarned === true);
  const warnings = steps.filter(({ isWarned }) => isWarned === true).length;
  if (warned === -1) return { kind: warnings < MAX_WARNINGS ? "warn" : "stop", loop };
  const since = round.length - warned;
  const most = Math.max(STEPS_AFTER_WARNING, ROUNDS_AFTER_WARNING * loop.period);
  return since >= most ? { kind: "stop", loop } : { kind: "fine" };
}

type Watch = (history: readonly Message[]) => AsyncGenerator<LoopEvent, string | undefined>;

/** Watches one run of the inner loop. Tells the model when it goes in circles; returns why the run must end, if so. */
export function progressWatch({ fingerprint, signal }: Pick<LoopParts, "fingerprint" | "signal">): Watch {
  const steps = new WeakMap<Message, LoopStep | undefined>();
  const states = new WeakMap<Message, string>();
  const stepOf = (message: ToolMessage, calls: Message | undefined) => {
    if (!steps.has(message)) steps.set(message, readStep(message, calls));
    const [step, state] = [steps.get(message), states.get(message)];
    return step === undefined || state === undefined ? step : { ...step, state };
  };
  return async function* look(history) {
    const done = () => stepsOfRun(history, stepOf);
    let word = judgeProgress(done());
    if (word.kind === "look") {
      const last = history.findLast(({ role }) => role === "tool");
      // Without git nothing is known about the tree, and only the results count.
      if (last !== undefined) states.set(last, (await fingerprint?.(signal)) ?? "unknown");
      word = judgeProgress(done());
    }
    if (word.kind === "stop") return `${word.loop.because}, and nothing changed, although it was told so`;
    if (word.kind !== "warn") return undefined;
    const { because } = word.loop;
    yield { type: "loop-noticed", because };
    yield { type: "message", message: warning(because) };
    return undefined;
  };
}

const WARNING = "You are going in circles: ";

const warning = (because: string): UserMessage => ({
  role: "user",
  text: `${WARNING}${because}, and nothing in the workspace has changed. Do not do the same again. Read what the results say and try another way. If you are waiting for something, wait longer between two looks. If you cannot go on, say what is in the way and stop.`,
  source: "jit-instruction",
});

/** The steps since the last prompt of somebody else than the engine itself, as far back as a loop can reach. */
function stepsOfRun(
  history: readonly Message[],
  stepOf: (message: ToolMessage, calls: Message | undefined) => LoopStep | undefined,
): readonly LoopStep[] {
  const found: LoopStep[] = [];
  const most = loopWindow(LOOP_LIMITS);
  for (let at = history.length - 1; at >= 0 && found.length < most; at--) {
    const message = history[at];
    if (message?.role === "user" && message.source !== "jit-instruction") break;
    const next = found.at(-1);
    if (isWarning(message) && next !== undefined) found[found.length - 1] = { ...next, isWarned: true };
    if (message?.role !== "tool") continue;
    const step = stepOf(message, history[at - 1]);
    if (step !== undefined) found.push(step);
  }
  return found.toReversed();
}

const isWarning = (message: Message | undefined) =>
  message?.role === "user" && message.source === "jit-instruction" && message.text.startsWith(WARNING);

function readStep({ results }: ToolMessage, answer: Message | undefined): LoopStep | undefined {
  const parts = answer?.role === "assistant" ? answer.parts : [];
  return loopStep(
    results.map(({ callId, name, text, failed }) => {
      const call = parts.find((part) => part.type === "call" && part.id === callId);
      return { name, input: call?.type === "call" ? (call.malformed ?? call.input) : null, result: text, failed };
    }),
  );
}
