import type { AssistantMessage, Message, Usage } from "../contract/message.ts";
import { ModelError } from "../models/model-error.ts";
import type { ToolOffer } from "../models/model.ts";
import type { LoopEvent } from "./event.ts";
import type { LoopParts } from "./parts.ts";
import { retryDelay } from "./retry-delay.ts";
import { withoutImages } from "./without-images.ts";

export interface Asking {
  readonly turn: number;
  readonly history: readonly Message[];
  readonly offers: readonly ToolOffer[];
}

/** What came of a request. After a remedy for its size, `history` is the smaller one. */
export type Asked = { readonly history: readonly Message[] } & Attempt;

export type Attempt =
  | { readonly kind: "answer"; readonly message: AssistantMessage; readonly usage: Usage | undefined }
  | { readonly kind: "interrupted"; readonly text: string }
  | { readonly kind: "failed"; readonly error: ModelError };

/** Asks until there is a whole answer, the tries are used up, or nothing can help. An answer that was cut counts for nothing. */
export async function* askModel(asking: Asking, parts: LoopParts): AsyncGenerator<LoopEvent, Asked> {
  const { settings, signal, clock } = parts;
  let { history } = asking;
  let remedies = 0;
  for (let tries = 1; ; tries++) {
    const attempt = yield* askOnce({ ...asking, history }, parts);
    if (attempt.kind !== "failed") return { ...attempt, history };
    const { error } = attempt;
    const smaller =
      error.kind === "too-large" ? await shrink({ ...asking, history }, error, { parts, remedies }) : undefined;
    const again = smaller !== undefined || (error.kind === "transient" && tries < settings.tries);
    const retryInMs = smaller !== undefined ? 0 : again ? retryDelay(tries, error, { settings, clock }) : null;
    const tooLong = again && retryInMs === null ? `; it asks to wait ${(error.retryAfterMs ?? 0) / 1000} seconds` : "";
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

/** First the images go, then processors may shorten the history (compaction). Undefined: nothing is left to try. */
async function shrink(
  { turn, history }: Asking,
  error: ModelError,
  { parts, remedies }: { readonly parts: LoopParts; readonly remedies: number },
): Promise<readonly Message[] | undefined> {
  if (remedies >= MAX_REMEDIES) return undefined;
  const stripped = withoutImages(history);
  if (stripped !== undefined) return stripped;
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
