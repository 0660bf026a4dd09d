import type { LoopEvent } from "../../contract/engine-event.ts";
import type { History, HistoryEdit } from "../../contract/history.ts";
import type { CallPart, Message, ToolResult, UserMessage } from "../../contract/message.ts";
import {
  type CallAndResult,
  callKey,
  findLoop,
  type LoopLimits,
  type LoopStep,
  loopStep,
  loopWindow,
} from "../../lib/json/find-loop.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import type { LoopParts } from "./processor.ts";

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
export function judgeProgress(trail: Trace): ProgressWord {
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
function judgeQuiet({ last, quiet }: Trace): ProgressWord {
  const { turns, weight, repeated, isTold, isCompared } = quiet;
  if (last === undefined || repeated < QUIET.look) return FINE;
  if (last.state === undefined) return { kind: "look" };
  const because = `the last ${turns} turns brought nothing new`;
  if (isCompared && isTold && weight >= QUIET.stop) return { kind: "stop", because };
  return isCompared && !isTold && weight >= QUIET.warn ? { kind: "warn", because } : FINE;
}

type Watch = () => AsyncGenerator<LoopEvent, string | undefined>;

/** Watches one run of the inner loop. Tells the model when it goes in circles; returns why the run must end, if so. */
export function progressWatch(trail: Trail, { fingerprint, signal }: LoopParts): Watch {
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

/**
 * What was done since the last prompt of somebody else than the engine. It is made from the events that change a
 * history, so shortening a conversation takes nothing from it, and the records of a log give the same trail again.
 */
export interface Trail extends Trace {
  apply(event: { readonly type: string } | HistoryEdit): void;
  /** A new beginning: turns were taken back. */
  clear(): void;
  /** The state of the work after the last turn, where somebody looked. */
  noteState(state: string): void;
}

interface Trace {
  /** What was done, as far back as a loop can reach. */
  readonly steps: readonly LoopStep[];
  /** The last turn; undefined before the first. */
  readonly last: LastTurn | undefined;
  readonly quiet: Quiet;
}

interface LastTurn {
  /** It did or looked at something, so it is the last of the steps. */
  readonly isStep: boolean;
  readonly state?: string | undefined;
}

/** The turns since the last one that brought something new: a call or result not seen before, or a new state. */
interface Quiet {
  readonly turns: number;
  /** The same, with turns that wait counted as a part of one. */
  readonly weight: number;
  /** The same since the last new call or result, whatever state the work was in. */
  readonly repeated: number;
  /** The agent was told in the meantime that it goes in circles. */
  readonly isTold: boolean;
  /** The state was looked at more than once in the meantime, and no new one was found. */
  readonly isCompared: boolean;
}

interface TrailLimits {
  /** The most steps that are kept. */
  readonly window: number;
  /** How many turns that wait count as one. */
  readonly patience: number;
  readonly isWarning: (message: UserMessage) => boolean;
}

const BEGIN: Quiet = { turns: 0, weight: 0, repeated: 0, isTold: false, isCompared: false };

interface State {
  /** Of calls with their results. */
  readonly seen: Set<string>;
  readonly states: Set<string>;
  steps: readonly LoopStep[];
  last: LastTurn | undefined;
  quiet: Quiet;
  /** The state was looked at since the last new call. */
  hasState: boolean;
  /** The agent was told, and has done nothing since. */
  isWarned: boolean;
  open: OpenTurn | undefined;
}

const begin = (): State => ({
  seen: new Set(),
  states: new Set(),
  steps: [],
  last: undefined,
  quiet: BEGIN,
  hasState: false,
  isWarned: false,
  open: undefined,
});

function openTrail(limits: TrailLimits): Trail {
  let trail = begin();
  return {
    apply(event) {
      if (isMessage(event)) {
        const { message } = event;
        trail.open = openTurn(message);
        if (message.role !== "user") return;
        if (limits.isWarning(message)) {
          trail.isWarned = true;
          trail.quiet = { ...trail.quiet, isTold: true };
        } else if (!OURS.has(message.source)) trail = begin();
      } else if (isEnd(event) && trail.open !== undefined) {
        const { calls, results } = trail.open;
        results.set(event.result.callId, event.result);
        if (results.size === calls.length) closeTurn(trail, trail.open, limits);
      }
    },
    clear: () => void (trail = begin()),
    noteState: (state) => noteState(trail, state),
    get steps() {
      return trail.steps;
    },
    get last() {
      return trail.last;
    },
    get quiet() {
      return trail.quiet;
    },
  };
}

function closeTurn(trail: State, { calls, results }: OpenTurn, { window, patience }: TrailLimits): void {
  trail.open = undefined;
  const done = calls.map((call) => callAndResult(call, results.get(call.id)));
  const keys = done.filter(({ name }) => !NOTES.has(name)).map((each) => sha256(callKey(each)));
  const isNew = keys.some((key) => !trail.seen.has(key));
  for (const key of keys) trail.seen.add(key);
  const step = loopStep(done);
  trail.last = { isStep: step !== undefined };
  if (step !== undefined) {
    trail.steps = [...trail.steps, { ...step, isWarned: trail.isWarned }].slice(-window);
    trail.isWarned = false;
  }
  trail.hasState &&= !isNew;
  const weight = step?.waits === true ? 1 / patience : 1;
  const { turns, weight: before, repeated } = trail.quiet;
  trail.quiet = isNew
    ? BEGIN
    : { ...trail.quiet, turns: turns + 1, weight: before + weight, repeated: repeated + weight };
}

function noteState(trail: State, state: string): void {
  const { hasState, states, steps, last, quiet } = trail;
  const isNew = hasState && !states.has(state);
  trail.quiet = isNew ? { ...BEGIN, repeated: quiet.repeated } : { ...quiet, isCompared: hasState };
  trail.hasState = true;
  states.add(state);
  const step = steps.at(-1);
  if (last?.isStep === true && step !== undefined) trail.steps = [...steps.slice(0, -1), { ...step, state }];
  trail.last = { isStep: last?.isStep === true, state };
}

/** Applies events to a history and to the trail beside it. */
export const withTrail =
  (history: History, trail: Trail): History["apply"] =>
  (event) => {
    history.apply(event);
    trail.apply(event);
  };

/** Applies the events that lead to a history. */
function applyMessages(history: readonly Message[], trail: Trail): void {
  for (const message of history) {
    if (message.role !== "tool") trail.apply({ type: "message", message });
    else for (const result of message.results) trail.apply({ type: "tool-end", result });
  }
}

/** Tools that only write down what the agent thinks of its work. */
const NOTES: ReadonlySet<string> = new Set(["report_intent", "todo"]);

/** Messages that the engine itself adds while an agent works. */
const OURS: ReadonlySet<UserMessage["source"]> = new Set(["jit-instruction", "state", "summary"]);

interface OpenTurn {
  readonly calls: readonly CallPart[];
  readonly results: Map<string, ToolResult>;
}

function openTurn(message: Message): OpenTurn | undefined {
  const calls = message.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [];
  return calls.length === 0 ? undefined : { calls, results: new Map() };
}

const callAndResult = ({ name, input, malformed }: CallPart, result: ToolResult | undefined): CallAndResult => ({
  name,
  input: malformed ?? input,
  result: result?.text ?? "",
  failed: result?.failed ?? true,
});

type Edit<Type extends HistoryEdit["type"]> = Extract<HistoryEdit, { readonly type: Type }>;

const isMessage = (event: { readonly type: string } | HistoryEdit): event is Edit<"message"> =>
  event.type === "message";
const isEnd = (event: { readonly type: string } | HistoryEdit): event is Edit<"tool-end"> => event.type === "tool-end";
