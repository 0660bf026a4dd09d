import type { EngineSettings } from "../../contract/engine-settings.ts";
import type { Message, TokenUsage } from "../../contract/message.ts";
import type { Model } from "../../models/model.ts";
import { estimateTokens } from "../../models/tokens/estimate-tokens.ts";
import { type ContextMeter, contextMeter, type MeasuredRequest } from "../context-meter.ts";
import type { RequestStep } from "../processor.ts";

export interface Measured {
  /** The tokens of a request as it would be made now. */
  readonly tokens: number;
  /** The tokens that the model takes. */
  readonly limit: number;
}

/** How full the window of a model is. */
export interface ContextWindow {
  measure(step: RequestStep): Promise<Measured>;
  /** The tokens of messages. */
  readonly count: (messages: readonly Message[]) => number;
  asked(request: MeasuredRequest): void;
  answered(usage: TokenUsage | undefined): void;
  /** The provider refused this request as too long: it knows better than any table what it takes. */
  refused(request: MeasuredRequest, because: string): void;
}

/** The share of the first threshold from which tokens are counted exactly, where they can be. */
const NEAR = 0.9;

/** Fits into every window that is worth having. */
const SMALL = 8_000;

export function contextWindow(model: Model, settings: EngineSettings): ContextWindow {
  let meter = contextMeter(estimateTokens);
  let isExact = false;
  let learned = Number.POSITIVE_INFINITY;
  return {
    async measure(step) {
      const learning = model.learnLimits(step.signal);
      // A server that stays silent about its window must not delay the first request.
      if (meter.tokens(step) >= SMALL) await learning;
      const limit = Math.min(model.limits.prompt, learned);
      if (!isExact && model.limits.family === "o200k" && meter.tokens(step) >= limit * settings.compact_at * NEAR) {
        isExact = true;
        meter = (await exactMeter()) ?? meter;
      }
      return { tokens: meter.tokens(step), limit };
    },
    count: (messages) => meter.ofMessages(messages),
    asked: (request) => meter.asked(request),
    answered: (usage) => meter.answered(usage),
    refused(request, because) {
      learned = Math.min(learned, meter.tokens(request), limitIn(because));
    },
  };
}

/** Providers usually name what they take and what they got. The smaller of the two is what they take. */
function limitIn(because: string): number {
  const numbers = [...because.slice(0, 2_000).matchAll(/\d{4,9}/g)].map(([digits]) => Number(digits));
  return Math.min(...numbers);
}

/** Counts with OpenAI's vocabulary. It takes time and memory, so it is loaded only when a decision is near. */
async function exactMeter(): Promise<ContextMeter | undefined> {
  try {
    return contextMeter((await import("../../models/tokens/o200k.ts")).countO200k);
  } catch {
    // An incomplete installation: the estimate is good enough to go on.
    return undefined;
  }
}
