import type { AssistantMessage, Message, TokenUsage } from "../contract/message.ts";
import { ModelError } from "../models/model-error.ts";
import type { ToolOffer } from "../models/model.ts";
import type { LoopEvent } from "./event.ts";
import type { Clock, LoopParts } from "./parts.ts";
import type { EngineSettings } from "../contract/engine-settings.ts";

export interface Asking {
  readonly turn: number;
  readonly history: readonly Message[];
  readonly offers: readonly ToolOffer[];
}

/** The result of a request. If the history had to be shortened, `history` is the shorter one. */
export type ModelReply = { readonly history: readonly Message[] } & Attempt;

export type Attempt =
  | { readonly kind: "answer"; readonly message: AssistantMessage; readonly usage: TokenUsage | undefined }
  | { readonly kind: "interrupted"; readonly text: string }
  | { readonly kind: "failed"; readonly error: ModelError };

/**
 * Asks until there is a complete answer, the retries are used up, or retrying cannot help. A truncated answer is
 * discarded.
 */
export async function* askModel(asking: Asking, parts: LoopParts): AsyncGenerator<LoopEvent, ModelReply> {
  const { settings, signal, clock } = parts;
  let { history } = asking;
  let remedies = 0;
  for (let tries = 1; ; tries++) {
    const attempt = yield* askOnce({ ...asking, history }, parts);
    if (attempt.kind !== "failed") return { ...attempt, history };
    const { error } = attempt;
    const smaller = await mend({ ...asking, history }, error, { parts, remedies });
    const again = smaller !== undefined || (error.kind === "transient" && tries < settings.tries);
    const retryInMs = smaller !== undefined ? 0 : again ? retryDelay(tries, error, { settings, clock }) : null;
    const tooLong =
      again && retryInMs === null ? `; the provider asks to wait ${(error.retryAfterMs ?? 0) / 1000} seconds` : "";
    const because = `${error.message}${tooLong}`;
    yield { type: "request-failed", because, status: error.status, tries, retryInMs };
    if (!again || retryInMs === null) return { ...attempt, history };
    if (smaller !== undefined) {
      remedies++;
      history = smaller;
      yield { type: "history-replaced", history, because: error.message };
    }
    await paused(retryInMs, parts);
    if (signal.aborted) return { kind: "interrupted", text: "", history };
  }
}

async function* askOnce({ history, offers }: Asking, parts: LoopParts): AsyncGenerator<LoopEvent, Attempt> {
  const { model, system, processors, signal, cacheKey } = parts;
  const request = { system, history, tools: offers, ...(cacheKey === undefined ? {} : { cacheKey }) };
  let text = "";
  try {
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
 * A history that the provider may take. First it loses its images; if it was too large, processors may then shorten it
 * (compaction). Undefined when nothing is left to try.
 */
async function mend(
  { turn, history }: Asking,
  error: ModelError,
  { parts, remedies }: { readonly parts: LoopParts; readonly remedies: number },
): Promise<readonly Message[] | undefined> {
  if (remedies >= MAX_REMEDIES || (error.kind !== "too-large" && error.kind !== "bad-image")) return undefined;
  const stripped = withoutImages(history, NOTES[error.kind]);
  if (stripped !== undefined || error.kind === "bad-image") return stripped;
  for (const processor of parts.processors) {
    const shorter = await processor.onRequestError?.(error, { turn, history, signal: parts.signal });
    if (shorter !== undefined) return shorter;
  }
  return undefined;
}

/** An interruption ends the pause; the caller sees it on the signal. */
async function paused(milliseconds: number, { clock, signal }: LoopParts): Promise<void> {
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
      return { role: "user", text: `${message.text}\n${note}`, source: message.source };
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

interface Pace {
  readonly settings: EngineSettings;
  readonly clock: Clock;
}

/** The longest wait a provider may ask for. Beyond that, failing is clearer. */
const MAX_RETRY_AFTER_MS = 600_000;

/**
 * Milliseconds before the next try: what the provider asked for, but at least the first step; otherwise half to all of
 * an exponentially growing step, up to the cap. Null when the provider asks for more than anyone should wait.
 */
function retryDelay(tries: number, error: ModelError, { settings, clock }: Pace): number | null {
  const requestedMs = error.retryAfterMs;
  if (requestedMs !== undefined)
    return requestedMs > MAX_RETRY_AFTER_MS ? null : Math.max(requestedMs, settings.retry_base_ms);
  const step = Math.min(settings.retry_cap_ms, settings.retry_base_ms * 2 ** (tries - 1));
  return Math.round(step * (0.5 + clock.random() / 2));
}
