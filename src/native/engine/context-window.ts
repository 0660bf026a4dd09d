import type { EngineSettings } from "../../contract/engine-settings.ts";
import type { Message, TokenUsage } from "../../contract/message.ts";
import type { Model, ModelRequest, ToolOffer } from "../../models/model.ts";
import { type CountText, estimateTokens, messageTokens, offerTokens, systemTokens } from "../../models/tokens.ts";
import type { RequestStep } from "./processor.ts";

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
  asked(request: ModelRequest): void;
  answered(usage: TokenUsage | undefined): void;
  /** The provider refused this request as too long: it knows better than any table what it takes. */
  refused(request: ModelRequest, because: string): void;
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
    return contextMeter((await import("../../models/o200k.ts")).countO200k);
  } catch {
    // An incomplete installation: the estimate is good enough to go on.
    return undefined;
  }
}

/**
 * How many tokens a request has. What the provider counted for the last answer is the measure of everything up to
 * there; only what came after is estimated, and the estimate is corrected by the ratio of the last counts.
 */
interface ContextMeter {
  tokens(request: ModelRequest): number;
  /** Call it with the request that is made, right before it is made. */
  asked(request: ModelRequest): void;
  /** Call it with what the provider counted for that request. Absurd and missing counts change nothing. */
  answered(usage: TokenUsage | undefined): void;
  /** The tokens of messages, corrected in the same way. */
  ofMessages(messages: readonly Message[]): number;
}

/** Counts further from our own than this are not believed. */
const MAX_RATIO = 5;

/** A count that differs from the others by more than this is not built upon. */
const MAX_JUMP = 1.5;

/** The median of three bears one wrong count. */
const RATIOS = 3;

export function contextMeter(count: CountText): ContextMeter {
  const sum = messageSums(count);
  const fixed = fixedTokens(count);
  // A request that is not made yet is assumed to end like the last one.
  let tail = 0;
  const estimate = ({ system, history, tools }: ModelRequest) => fixed(system, tools) + sum(history) + tail;
  const ratios: number[] = [];
  let last: { readonly estimate: number; readonly first: Message | undefined } | undefined;
  let anchor: { readonly estimate: number; readonly tokens: number; readonly first: Message | undefined } | undefined;
  const scale = () => median(ratios) ?? 1;
  return {
    tokens(request) {
      const whole = estimate(request);
      // A history that was rebuilt has nothing to do with the last count.
      const since = anchor?.first === request.history[0] ? anchor : undefined;
      const tokens = since === undefined ? whole * scale() : since.tokens + (whole - since.estimate) * scale();
      return Math.max(0, Math.ceil(tokens));
    },
    asked(request) {
      tail = (request.tail ?? []).reduce((total, text) => total + count(text), 0);
      last = { estimate: estimate(request), first: request.history[0] };
    },
    answered(usage) {
      if (last === undefined || usage === undefined) return;
      const ratio = usage.input / last.estimate;
      if (!(ratio >= 1 / MAX_RATIO && ratio <= MAX_RATIO)) return;
      ratios.push(ratio);
      if (ratios.length > RATIOS) ratios.shift();
      const jump = ratio / scale();
      anchor = jump <= MAX_JUMP && jump >= 1 / MAX_JUMP ? { ...last, tokens: usage.input } : undefined;
    },
    ofMessages: (messages) =>
      Math.ceil(messages.reduce((total, each) => total + messageTokens(each, count), 0) * scale()),
  };
}

function median(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted[sorted.length >> 1];
  const before = sorted[(sorted.length - 1) >> 1];
  return middle === undefined || before === undefined ? undefined : (middle + before) / 2;
}

/** Sums up a history. A message is counted once; in a history that only grew, only the new ones are looked at. */
function messageSums(count: CountText): (history: readonly Message[]) => number {
  const counted = new WeakMap<Message, number>();
  let seen: { readonly history: readonly Message[]; length: number; sum: number } | undefined;
  const tokensOf = (message: Message) => {
    const known = counted.get(message);
    if (known !== undefined) return known;
    const tokens = messageTokens(message, count);
    counted.set(message, tokens);
    return tokens;
  };
  return (history) => {
    if (seen?.history !== history || seen.length > history.length) seen = { history, length: 0, sum: 0 };
    for (; seen.length < history.length; seen.length++) {
      const message = history[seen.length];
      if (message !== undefined) seen.sum += tokensOf(message);
    }
    return seen.sum;
  };
}

function fixedTokens(count: CountText): (system: string, tools: readonly ToolOffer[]) => number {
  const offers = new WeakMap<ToolOffer, number>();
  let known: { readonly system: string; readonly tokens: number } | undefined;
  return (system, tools) => {
    if (known?.system !== system) known = { system, tokens: systemTokens(system, count) };
    let { tokens } = known;
    for (const tool of tools) {
      const offer = offers.get(tool) ?? offerTokens(tool, count);
      offers.set(tool, offer);
      tokens += offer;
    }
    return tokens;
  };
}
