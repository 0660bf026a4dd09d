import type { History, HistoryEdit } from "../../contract/history.ts";
import type { CallPart, Message, ToolResult, UserMessage } from "../../contract/message.ts";
import { type CallAndResult, callKey, type LoopStep, loopStep } from "../../lib/json/find-loop.ts";
import { sha256 } from "../../lib/json/sha256.ts";

/**
 * What was done since the last prompt of somebody else than the engine. It is made from the events that change a
 * history, so shortening a conversation takes nothing from it, and the records of a log give the same trail again.
 */
export interface Trail {
  apply(event: { readonly type: string } | HistoryEdit): void;
  /** A new beginning: turns were taken back. */
  clear(): void;
  /** The state of the work after the last turn, where somebody looked. */
  noteState(state: string): void;
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

export function openTrail(limits: TrailLimits): Trail {
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
export const withTrail = (history: History, trail: Trail): Pick<History, "apply"> => ({
  apply(event) {
    history.apply(event);
    trail.apply(event);
  },
});

/** Applies the events that lead to a history. */
export function applyMessages(history: readonly Message[], trail: Trail): void {
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
