import type { CompactionTrigger, LoopEvent } from "../../contract/engine-event.ts";
import type { EngineSettings } from "../../contract/engine-settings.ts";
import { historyPieces } from "../../contract/history.ts";
import type { Message } from "../../contract/message.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { Model } from "../../models/model.ts";
import { estimateTokens } from "../../models/tokens/estimate-tokens.ts";
import type { Clock } from "../parts.ts";
import type { Processor, RequestStep } from "../processor.ts";
import { type ContextWindow, contextWindow, type Measured } from "./context-window.ts";
import { cutPlace, rebuilt } from "./rebuild.ts";
import { summaryRequest } from "./summary-request.ts";
import { writeSummary } from "./write-summary.ts";

export interface CompactionParts {
  readonly model: Model;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  /** Ends a summary that is being written, with the session. */
  readonly signal: AbortSignal;
  /** What the agent should know besides, such as its work items. */
  readonly standing?: () => readonly string[];
  /** Called before a summary is written. */
  readonly before?: (trigger: CompactionTrigger) => Promise<void>;
}

/** Keeps a conversation within the model's window. */
export interface Compaction extends Processor {
  measure(step: RequestStep): Promise<Measured>;
  /** Shortens the history because a person asked for it. */
  now(step: RequestStep): AsyncGenerator<LoopEvent, void>;
}

/** Below this many messages, there is nothing worth a summary. */
const MIN_MESSAGES = 4;
/** Freeing less than this share is useless; after two such in a row it is not tried again. */
const MIN_FREED = 0.1;
const MAX_USELESS = 2;
/** After a failure, the history must grow by this share of the window before the next try. */
const PATIENCE = 0.05;
/** Where a summary usually starts. One that starts earlier, or is asked for, leaves room in the same proportion. */
const USUAL_START = 0.8;
/** The share of the window that the request for a summary may have. */
const SUMMARY_SHARE = 0.6;

interface State extends CompactionParts {
  readonly window: ContextWindow;
  pending?: Pending | undefined;
  /** How many summaries in a row have freed almost nothing. */
  useless: number;
  /** The tokens below which it is not tried again, after a failure. */
  notBefore: number;
}

interface Pending {
  readonly history: readonly Message[];
  readonly cut: number;
  readonly tokens: number;
  /** The tokens of which the parts that are kept may have their shares. */
  readonly room: number;
  readonly done: Promise<string>;
  /** One of them is set when it is done. */
  summary?: string;
  because?: string;
}

export function compaction(parts: CompactionParts): Compaction {
  const { model, settings } = parts;
  const window = contextWindow(model, settings);
  const state: State = { ...parts, window, useless: 0, notBefore: 0 };
  async function* startAndWait(step: RequestStep, trigger: CompactionTrigger): AsyncGenerator<LoopEvent, void> {
    if (mayStart(state, step)) yield* start(state, step, trigger);
    yield* wait(state, step);
  }
  return {
    name: "compaction",
    measure: (step) => window.measure(step),
    async *preRequest(step) {
      yield* finish(state, step);
      const { tokens, limit } = await window.measure(step);
      if (tokens >= limit * settings.compact_wait_at && tokens >= state.notBefore)
        yield* startAndWait(step, "blocking");
      else if (tokens >= limit * settings.compact_at && tokens >= state.notBefore && mayStart(state, step))
        yield* start(state, step, "background");
    },
    onRequest: (request) => window.asked(request),
    onChunk(event) {
      if (event.type === "answer") window.answered(event.usage);
    },
    async *onRequestError(_, step) {
      window.refused(step);
      yield* startAndWait(step, "forced");
    },
    now: (step) => startAndWait(step, "asked"),
  };
}

const mayStart = ({ pending, useless }: State, { history }: RequestStep) =>
  pending === undefined && useless < MAX_USELESS && history.length >= MIN_MESSAGES;

async function* start(state: State, step: RequestStep, trigger: CompactionTrigger): AsyncGenerator<LoopEvent, void> {
  const { window, model, settings, clock, signal } = state;
  const { tokens, limit } = await window.measure(step);
  await state.before?.(trigger);
  const history = [...step.history];
  const room = Math.min(limit * settings.compact_at, tokens) / USUAL_START;
  const cut = cutPlace(history, { count: window.count, limit: room });
  yield { type: "compaction-start", trigger, tokens, limit };
  const request = summaryRequest(history.slice(0, cut), { limit: limit * SUMMARY_SHARE, count: estimateTokens });
  const done = writeSummary({ ...step, ...request }, { model, settings, signal, clock });
  const pending: Pending = { history, cut, tokens, room, done };
  state.pending = pending;
  done.then(
    (summary) => (pending.summary = summary),
    (error: unknown) => (pending.because = messageOf(error)),
  );
}

/** Waits for a summary that is being written, if there is one, and takes it. */
async function* wait(state: State, step: RequestStep): AsyncGenerator<LoopEvent, void> {
  if (state.pending === undefined) return;
  await Promise.race([state.pending.done.catch(() => {}), whenAborted(step.signal)]);
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
  { cut, room, summary = "", tokens: tokensBefore, limit }: Pending & Measured,
): AsyncGenerator<LoopEvent, void> {
  const { count } = state.window;
  const after = rebuilt(history, { cut, summary, standing: state.standing?.() ?? [], count, limit: room });
  const freed = count(history) - count(after);
  state.useless = freed < tokensBefore * MIN_FREED ? state.useless + 1 : 0;
  if (state.useless >= MAX_USELESS) yield { type: "compaction-stopped", because: STOPPED };
  if (freed <= 0) {
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

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
