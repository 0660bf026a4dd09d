import type { LoopEvent } from "../../contract/engine-event.ts";
import type { EngineSettings } from "../../contract/engine-settings.ts";
import { historyPieces } from "../../contract/history.ts";
import type { AssistantMessage, Message, TokenUsage } from "../../contract/message.ts";
import { type Model, ModelError } from "../../models/model.ts";
import type { Clock, Processor, RequestStep } from "./processor.ts";

export type Attempt =
  | { readonly kind: "answer"; readonly message: AssistantMessage; readonly usage: TokenUsage | undefined }
  | { readonly kind: "interrupted"; readonly text: string }
  | { readonly kind: "failed"; readonly error: ModelError };

/** Who asks a model. */
export interface Asking {
  readonly model: Model;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly processors: readonly Processor[];
  readonly cacheKey?: string;
}

/**
 * Asks until there is a complete answer, the retries are used up, or retrying cannot help. A truncated answer is
 * discarded. `step` is the request as it is now: a remedy may have shortened the history.
 */
export async function* askModel(step: () => RequestStep, asking: Asking): AsyncGenerator<LoopEvent, Attempt> {
  const { settings, signal, clock } = asking;
  let remedies = 0;
  for (let tries = 1; ; tries++) {
    const attempt = yield* askOnce(step(), asking);
    if (attempt.kind !== "failed") return attempt;
    const { error } = attempt;
    const failure = { type: "request-failed", because: error.message, status: error.status, tries } as const;
    if (remedies < MAX_REMEDIES && (yield* behind({ ...failure, retryInMs: 0 }, mend(step(), error, asking))))
      remedies++;
    else {
      const again = error.kind === "transient" && tries < settings.tries;
      const retryInMs = again ? retryDelay(tries, error, settings, clock) : null;
      const tooLong =
        again && retryInMs === null ? `; the provider asks to wait ${(error.retryAfterMs ?? 0) / 1000} seconds` : "";
      yield { ...failure, because: `${error.message}${tooLong}`, retryInMs };
      if (retryInMs === null) return attempt;
      await paused(retryInMs, asking);
    }
    if (signal.aborted) return { kind: "interrupted", text: "" };
  }
}

/** What is done about a failure, if anything, comes after the failure. */
async function* behind<Result>(
  failure: LoopEvent,
  remedy: AsyncGenerator<LoopEvent, Result>,
): AsyncGenerator<LoopEvent, Result> {
  const first = await remedy.next();
  if (first.done === true) return first.value;
  yield failure;
  yield first.value;
  return yield* remedy;
}

async function* askOnce(step: RequestStep, asking: Asking): AsyncGenerator<LoopEvent, Attempt> {
  const { model, processors, signal, cacheKey } = asking;
  const { system, history, tools } = step;
  let text = "";
  try {
    const tail: string[] = [];
    for (const processor of processors) tail.push(...((await processor.decorate?.(step)) ?? []));
    const request = { system, history, tools, tail, ...(cacheKey === undefined ? {} : { cacheKey }) };
    for (const processor of processors) processor.onRequest?.(request);
    for await (const event of model.ask(request, signal)) {
      for (const processor of processors) processor.onChunk?.(event);
      if (event.type === "answer") return { kind: "answer", message: event.message, usage: event.usage };
      if (event.type === "text-delta") text += event.text;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return { kind: "interrupted", text };
    if (error instanceof ModelError) return { kind: "failed", error };
    throw error;
  }
  return { kind: "failed", error: new ModelError("the model gave no answer", { kind: "transient" }) };
}

const MAX_REMEDIES = 3;

/**
 * Changes the history to one that the provider may take, and returns whether it did. First it loses its images; if it
 * was too large, processors may then shorten it (compaction).
 */
async function* mend(step: RequestStep, error: ModelError, asking: Asking): AsyncGenerator<LoopEvent, boolean> {
  if (error.kind !== "too-large" && error.kind !== "bad-image") return false;
  const stripped = withoutImages(step.history, NOTES[error.kind]);
  if (stripped !== undefined) {
    const pieces = historyPieces(step.history, stripped);
    yield { type: "history-replaced", pieces, because: error.message };
    return true;
  }
  if (error.kind === "bad-image") return false;
  let mended = false;
  for (const processor of asking.processors) {
    if (mended) break;
    for await (const event of processor.onRequestError?.(error, step) ?? []) {
      mended ||= event.type === "history-replaced";
      yield event;
    }
  }
  return mended;
}

/** An interruption ends the pause; the caller sees it on the signal. */
async function paused(milliseconds: number, { clock, signal }: Asking): Promise<void> {
  if (milliseconds === 0) return;
  try {
    await clock.pause(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const NOTES = {
  "too-large": "[image removed: the request was too large]",
  "bad-image": "[image removed: the provider refused it]",
};

/** The history with every image replaced by a note; undefined when it has none. */
function withoutImages(history: readonly Message[], note: string): readonly Message[] | undefined {
  const has = (images: readonly unknown[] | undefined) => images !== undefined && images.length > 0;
  let found = false;
  const stripped = history.map((message): Message => {
    if (message.role === "user" && has(message.images)) {
      found = true;
      const { images: _, ...rest } = message;
      return { ...rest, text: `${message.text}\n${note}` };
    }
    if (message.role !== "tool" || !message.results.some((result) => has(result.images))) return message;
    found = true;
    const results = message.results.map(({ images, ...result }) =>
      has(images) ? { ...result, text: `${result.text}\n${note}` } : result,
    );
    return { role: "tool", results };
  });
  return found ? stripped : undefined;
}

/** The longest wait a provider may ask for. Beyond that, failing is clearer. */
const MAX_RETRY_AFTER_MS = 600_000;

/**
 * Milliseconds before the next try: what the provider asked for, but at least the first step; otherwise half to all of
 * an exponentially growing step, up to the cap. Null when the provider asks for more than anyone should wait.
 */
function retryDelay(tries: number, error: ModelError, settings: EngineSettings, clock: Clock): number | null {
  const requestedMs = error.retryAfterMs;
  if (requestedMs !== undefined)
    return requestedMs > MAX_RETRY_AFTER_MS ? null : Math.max(requestedMs, settings.retry_base_ms);
  const step = Math.min(settings.retry_cap_ms, settings.retry_base_ms * 2 ** (tries - 1));
  return Math.round(step * (0.5 + clock.random() / 2));
}
