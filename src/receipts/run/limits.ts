import { dollars } from "../../lib/text/printable.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { StopReason } from "../../contract/seal.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { findLoop, type Loop, type LoopLimits, type LoopStep, loopStep, loopWindow } from "../../lib/json/find-loop.ts";
import type { Progress, RunLimits } from "./run-parts.ts";

/** Why a run must end. */
export interface StopCause {
  readonly stopped: StopReason;
  readonly because: string;
  /** Set if it differs from the usual code for this reason. */
  readonly exitCode?: number;
  /** What the user can do about it. */
  readonly fix?: string;
}

/** Stores the first reason to stop a run. Stopping aborts `signal`, which the host receives. */
export interface StopSwitch {
  readonly signal: AbortSignal;
  readonly stop: (why: StopCause) => void;
  readonly reason: () => StopCause | undefined;
}

export function openStopSwitch(): StopSwitch {
  const abort = new AbortController();
  let reason: StopCause | undefined;
  return {
    signal: abort.signal,
    reason: () => reason,
    stop(why) {
      if (reason !== undefined) return;
      reason = why;
      abort.abort(new Error(why.because));
    },
  };
}

export interface LimitWatch {
  /** The limit that this event exceeds, if any. */
  readonly see: (event: AgentEvent) => StopCause | undefined;
  readonly progress: () => Progress;
  /** What the agent says next is another answer. */
  readonly beginRound: () => void;
}

/** Counts a run's turns, cost and events, and looks for calls that go in circles. */
export function watchLimits(limits: RunLimits): LimitWatch {
  const count = { turns: 0, costUsd: 0, tokens: 0, events: 0 };
  const loopIn = watchLoops(limits);
  let answered = true;
  const see = (event: AgentEvent): void => {
    count.events++;
    const { turn, usage } = isRecord(event.ext) ? event.ext : {};
    if (typeof turn === "number" && turn > count.turns) count.turns = turn;
    else if (answered && isAnswer(event) && turn === undefined) count.turns++;
    if (isAnswer(event)) answered = false;
    if (event.type === "tool_result") answered = true;
    count.costUsd = Math.max(count.costUsd, numberIn(usage, "estimated_cost_usd"));
    count.tokens = Math.max(count.tokens, numberIn(usage, "input_tokens") + numberIn(usage, "output_tokens"));
  };
  return {
    see(event) {
      see(event);
      return overLimit(count, limits) ?? noProgress(loopIn(event));
    },
    progress: () => count,
    beginRound: () => void (answered = true),
  };
}

type ToolCall = Extract<AgentEvent, { type: "tool_call" }>;

/** The same detector as in our own engine, with more patience, because this agent cannot be warned first. */
function watchLoops({ maxRepeats }: RunLimits): (event: AgentEvent) => Loop | undefined {
  const limits: LoopLimits = {
    repeats: maxRepeats,
    cycles: Math.ceil(maxRepeats / 2),
    maxPeriod: 12,
    failures: maxRepeats * 2,
    patience: 10,
  };
  const steps: LoopStep[] = [];
  const open = new Map<string, ToolCall>();
  let last: ToolCall | undefined;
  return (event) => {
    if (event.type === "tool_call") {
      last = event;
      if (event.tool_use_id !== null) open.set(event.tool_use_id, event);
    }
    if (event.type !== "tool_result") return undefined;
    const { tool_use_id: id, tool_name: name, output, is_error: failed } = event;
    const call = open.get(id ?? "") ?? last;
    if (id !== null) open.delete(id);
    const result = typeof output === "string" ? output : canonicalJson(output);
    const step = loopStep([{ name, input: call?.input ?? null, result, failed }]);
    if (step === undefined) return undefined;
    steps.push(step);
    steps.splice(0, steps.length - loopWindow(limits));
    return findLoop(steps, limits);
  };
}

const noProgress = (loop: Loop | undefined): StopCause | undefined =>
  loop && { stopped: "no_progress", because: loop.because };

/** A turn is one answer of the model. It starts with the first of these events after a tool result. */
const isAnswer = ({ type }: AgentEvent) =>
  type === "assistant_delta" || type === "assistant_message" || type === "tool_call";

function numberIn(value: unknown, name: string): number {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === "number" && Number.isFinite(found)
    ? found
    : JSON.isRawJSON(found)
      ? Number(found.rawJSON)
      : 0;
}

function overLimit(count: Progress & { readonly events: number }, limits: RunLimits): StopCause | undefined {
  const limit = (because: string): StopCause => ({ stopped: "limit", because });
  if (limits.maxTurns !== null && count.turns > limits.maxTurns) return limit(`more than ${limits.maxTurns} turns`);
  if (limits.maxBudgetUsd !== null && count.costUsd > limits.maxBudgetUsd)
    return limit(`it cost ${dollars(count.costUsd)}, more than the limit of ${dollars(limits.maxBudgetUsd)}`);
  if (count.events > limits.maxEvents)
    return { stopped: "crashed", because: `the host flooded the run with more than ${limits.maxEvents} events` };
  return undefined;
}
