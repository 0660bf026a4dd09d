import type { AgentEvent } from "../../contract/agent-event.ts";
import { type HostEnd, NO_USAGE } from "../../contract/receipt.ts";
import type { StopReason } from "../../contract/seal.ts";
import { findLoop, type Loop, type LoopLimits, type LoopStep, loopStep, loopWindow } from "../../lib/json/find-loop.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { dollars } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { ProtocolError } from "../host.ts";
import type { Progress, RunLimits } from "./run-setup.ts";

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
  const cost = overBudget(count.costUsd, limits);
  if (cost !== undefined) return cost;
  if (count.events > limits.maxEvents)
    return { stopped: "crashed", because: `the host flooded the run with more than ${limits.maxEvents} events` };
  return undefined;
}

/** Some agents report their cost only at the end. */
export const overBudget = (cost: number, { maxBudgetUsd: most }: RunLimits): StopCause | undefined =>
  most === null || cost <= most
    ? undefined
    : { stopped: "limit", because: `it cost ${dollars(cost)}, more than the limit of ${dollars(most)}` };

interface HostDrain extends Disposable {
  /** All events until the host ends or is cut off. Returns the host's end, or undefined if it was cut off. */
  readonly events: AsyncGenerator<AgentEvent, HostEnd | undefined>;
}

type Pull = { readonly pulled: IteratorResult<AgentEvent, HostEnd> } | "cut off";

const GONE: HostEnd = { outcome: "failed", mode: "mapped", usage: NO_USAGE, usageRaw: null };

/**
 * Reads a host's events under the time limits of a run that has taken `elapsedMs` so far. Once the run is stopped, the
 * host gets a grace period and is then cut off.
 */
export function drainHost(
  source: AsyncGenerator<AgentEvent, HostEnd>,
  limits: RunLimits,
  { signal, stop, reason }: StopSwitch,
  elapsedMs: number,
): HostDrain {
  // A single slot instead of `Promise.race`: racing against a promise that lives as long as the run would leak every
  // loser.
  let interrupt: ((pull: Pull) => void) | undefined;
  let over = false;
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(work, Math.min(ms, 2 ** 31 - 1));
    timers.add(timer);
    return timer;
  };
  const startGrace = (): void => {
    // A host that floods the run gets no grace period.
    after(reason()?.stopped === "crashed" ? 0 : limits.graceMs, () => {
      over = true;
      interrupt?.("cut off");
    });
  };
  const pull = async (): Promise<Pull> => {
    const idle = after(limits.idleMs, () => stop({ stopped: "limit", because: `silent for ${limits.idleMs} ms` }));
    try {
      return await new Promise<Pull>((resolve, reject) => {
        interrupt = resolve;
        source.next().then((pulled) => resolve({ pulled }), reject);
      });
    } finally {
      clearTimeout(idle);
      timers.delete(idle);
    }
  };
  // Also needed when the consumer stops reading, because a leftover timer keeps the process alive.
  const release = () => {
    signal.removeEventListener("abort", startGrace);
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    // Lets the host release its resources. Not awaited, because the host may still be waiting for its agent.
    void source.return(GONE).catch(() => undefined);
  };
  async function* events(): AsyncGenerator<AgentEvent, HostEnd | undefined> {
    after(limits.wallMs - elapsedMs, () => stop(tooLong(limits)));
    try {
      for (;;) {
        const next = await pull();
        if (next === "cut off") return undefined;
        if (next.pulled.done === true) return next.pulled.value;
        if (over) return undefined;
        yield next.pulled.value;
      }
    } catch (error) {
      if (reason() === undefined && !(error instanceof ProtocolError)) throw error;
      stop({ stopped: "crashed", because: messageOf(error) });
      return undefined;
    } finally {
      release();
    }
  }
  if (signal.aborted) startGrace();
  else signal.addEventListener("abort", startGrace);
  return { events: events(), [Symbol.dispose]: release };
}

const tooLong = ({ wallMs }: RunLimits): StopCause => ({ stopped: "limit", because: `more than ${wallMs} ms` });
