import type { Message, TokenUsage } from "../contract/message.ts";
import type { ModelRequest, ToolOffer } from "../models/model.ts";
import { type CountText, messageTokens, offerTokens, systemTokens } from "../models/tokens/message-tokens.ts";

export type MeasuredRequest = Pick<ModelRequest, "system" | "history" | "tools" | "tail">;

/**
 * How many tokens a request has. What the provider counted for the last answer is the measure of everything up to
 * there; only what came after is estimated, and the estimate is corrected by the ratio of the last counts.
 */
export interface ContextMeter {
  tokens(request: MeasuredRequest): number;
  /** Call it with the request that is made, right before it is made. */
  asked(request: MeasuredRequest): void;
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
  const estimate = ({ system, history, tools }: MeasuredRequest) => fixed(system, tools) + sum(history) + tail;
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
