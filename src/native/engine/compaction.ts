import type { CompactionTrigger, LoopEvent } from "../../contract/engine-event.ts";
import { COMPACT_AT, type EngineSettings } from "../../contract/engine-settings.ts";
import { historyPieces } from "../../contract/history.ts";
import type { Message } from "../../contract/message.ts";
import { whenAborted } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { Model } from "../../models/model.ts";
import { estimateTokens } from "../../models/tokens.ts";
import { cutPlace, rebuilt, summaryRequest, writeSummary } from "./compacted-history.ts";
import { type ContextWindow, contextWindow, type Measured } from "./context-window.ts";
import type { Clock, Processor, RequestStep } from "./processor.ts";

interface Compacting {
  readonly model: Model;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  /** Ends a summary that is being written, with the session. */
  readonly signal: AbortSignal;
  /** What the agent should know besides, such as its work items. */
  readonly standing?: () => readonly string[];
  /** True when the session ends with its first task, so that a summary of the last request would be for nothing. */
  readonly isOneTask?: boolean;
  /** Called before a summary is written. */
  readonly before?: (trigger: CompactionTrigger) => Promise<void>;
}

/** Keeps a conversation within the model's window. */
export interface Compaction extends Processor {
  measure(step: RequestStep): Promise<Measured>;
  /** Shortens the history because a person asked for it. */
  now(step: RequestStep): AsyncGenerator<LoopEvent, void>;
  /** Settles when no summary is being written any more. */
  settled(): Promise<void>;
}

/** Below this many messages, there is nothing worth a summary. */
const MIN_MESSAGES = 4;

/** Freeing less than this share is useless; after two such in a row it is not tried again. */
const MIN_FREED = 0.1;

const MAX_USELESS = 2;

/** After a failure, the history must grow by this share of the window before the next try. */
const PATIENCE = 0.05;

/** The share of the window that the request for a summary may have. */
const SUMMARY_SHARE = 0.6;

interface State extends Compacting {
  readonly window: ContextWindow;
  pending?: Pending | undefined;
  /** How many summaries in a row have freed almost nothing. */
  useless: number;
  /** The tokens below which it is not tried again, after a failure. */
  notBefore: number;
}

interface Pending {
  readonly trigger: CompactionTrigger;
  readonly history: readonly Message[];
  readonly cut: number;
  readonly tokens: number;
  readonly done: Promise<string>;
  /** One of them is set when it is done. */
  summary?: string;
  because?: string;
}

export function compaction(compacting: Compacting): Compaction {
  const { model, settings, isOneTask } = compacting;
  const window = contextWindow(model, settings);
  const state: State = { ...compacting, window, useless: 0, notBefore: 0 };
  return {
    name: "compaction",
    measure: (step) => window.measure(step),
    async *preRequest(step) {
      yield* finish(state, step);
      const { tokens, limit } = await window.measure(step);
      const isPatient = tokens < state.notBefore || state.useless >= MAX_USELESS;
      if (tokens < limit * settings.compact_at || step.history.length < MIN_MESSAGES || isPatient) return;
      const mustWait = tokens >= limit * settings.compact_wait_at;
      if (mustWait) yield* takeOrWrite(state, step, "blocking");
      else if (state.pending === undefined && !(isOneTask === true && step.turn === 1))
        yield* start(state, step, "background");
    },
    onRequest: (request) => window.asked(request),
    onChunk(event) {
      if (event.type === "answer") window.answered(event.usage);
    },
    async *onRequestError(error, step) {
      window.refused(step, error.message);
      if (state.useless < MAX_USELESS || window.count(step.history) > state.notBefore)
        yield* takeOrWrite(state, step, "forced");
    },
    async *now(step) {
      if (step.history.length > 1) yield* takeOrWrite(state, step, "asked");
    },
    async settled() {
      await state.pending?.done.catch(() => {});
    },
  };
}

/** Waits for the summary that is being written. If there is none, or it comes to nothing, a new one is written. */
async function* takeOrWrite(
  state: State,
  step: RequestStep,
  trigger: CompactionTrigger,
): AsyncGenerator<LoopEvent, void> {
  let isReplaced = false;
  for await (const event of wait(state, step)) {
    isReplaced ||= event.type === "history-replaced";
    yield event;
  }
  if (isReplaced || state.pending !== undefined || step.signal.aborted) return;
  yield* start(state, step, trigger);
  yield* wait(state, step);
}

async function* start(state: State, step: RequestStep, trigger: CompactionTrigger): AsyncGenerator<LoopEvent, void> {
  const { window, model, settings, clock } = state;
  const { tokens, limit } = await window.measure(step);
  const spent = step.left.cost === 0 || step.left.ms === 0;
  if (spent) return yield { type: "compaction-failed", because: "a limit of the session is reached" };
  await state.before?.(trigger);
  const history = [...step.history];
  // A summary that starts earlier than usual, or is asked for, leaves room in the same proportion.
  const recent = Math.min(limit * settings.compact_at, tokens) / COMPACT_AT;
  const cut = cutPlace(history, { count: window.count, limit: recent });
  yield { type: "compaction-start", trigger, tokens, limit };
  const request = summaryRequest(history.slice(0, cut), { limit: limit * SUMMARY_SHARE, count: estimateTokens });
  // One that somebody waits for ends with the wait; one in the background ends with the session.
  const signal = trigger === "background" ? state.signal : AbortSignal.any([state.signal, step.signal]);
  const done = writeSummary({ ...step, ...request }, { model, settings, signal, clock, processors: [] });
  const pending: Pending = { trigger, history, cut, tokens, done };
  state.pending = pending;
  done.then(
    (summary) => (pending.summary = summary),
    (error: unknown) => (pending.because = messageOf(error)),
  );
}

/** Waits for a summary that is being written, if there is one, and takes it. */
async function* wait(state: State, step: RequestStep): AsyncGenerator<LoopEvent, void> {
  if (state.pending === undefined) return;
  const done = state.pending.done.catch(() => {});
  await (state.pending.trigger === "background" ? Promise.race([done, whenAborted(step.signal)]) : done);
  yield* finish(state, step);
}

/** Takes what was written, if it is done. The agent may have gone on meanwhile: its new messages stay. */
async function* finish(state: State, step: RequestStep): AsyncGenerator<LoopEvent, void> {
  const { pending } = state;
  if (pending === undefined || (pending.summary === undefined && pending.because === undefined)) return;
  state.pending = undefined;
  const measured = await state.window.measure(step);
  const because = pending.because ?? (isStale(pending, step) ? STALE : undefined);
  if (because === undefined) return yield* replace(state, step, { ...pending, ...measured });
  state.notBefore = pending.tokens + measured.limit * PATIENCE;
  yield { type: "compaction-failed", because };
}

const STALE = "the conversation was changed while it was being summarised";

const isStale = ({ history, cut }: Pending, step: RequestStep) =>
  step.history[cut - 1] !== history[cut - 1] || step.history[0] !== history[0];

async function* replace(
  state: State,
  { history }: RequestStep,
  { trigger, cut, summary = "", tokens: tokensBefore, limit }: Pending & Measured,
): AsyncGenerator<LoopEvent, void> {
  const { count } = state.window;
  const after = rebuilt(history, { cut, summary, standing: state.standing?.() ?? [], count, limit });
  const freed = count(history) - count(after);
  const isUseless = freed < tokensBefore * MIN_FREED;
  const wasStopped = state.useless >= MAX_USELESS;
  // What a person asks for says nothing about what is worth doing unasked.
  if (trigger !== "asked") state.useless = isUseless ? state.useless + 1 : 0;
  if (!wasStopped && state.useless >= MAX_USELESS) yield { type: "compaction-stopped", because: STOPPED };
  if (freed <= 0 || (isUseless && wasStopped)) {
    state.notBefore = tokensBefore + limit * PATIENCE;
    return yield { type: "compaction-failed", because: "the summary is no shorter than the conversation" };
  }
  const kept = new Set(after);
  const dropped = history.filter((message) => !kept.has(message)).length;
  const title = summary.trim().split("\n")[0]?.slice(0, 100) ?? "";
  yield { type: "history-replaced", pieces: historyPieces(history, after), because: "compaction" };
  yield { type: "compaction-end", title, tokensBefore, tokensAfter: tokensBefore - freed, dropped };
}

const STOPPED = "the last two summaries freed almost nothing; the conversation is not shortened any more";
