import type { UsageEvent, LoopEvent } from "../contract/engine-event.ts";
import type { EngineSettings } from "../contract/engine-settings.ts";
import type { TokenUsage } from "../contract/message.ts";
import type { Tool } from "../contract/tool.ts";
import type { Model } from "../models/model.ts";
import type { Budget } from "./budget.ts";
import type { Processor } from "./processor.ts";

/** Everything the inner loop works with. The engine has no direct access to disk, network or clock. */
export interface LoopParts {
  readonly model: Model;
  readonly system: string;
  /** Asked in every turn. Tools keep the place they were first offered in; new ones come last. */
  readonly tools: () => readonly Tool[];
  /** Waits a short time for tools that are on their way. Asked before `tools` in every turn. */
  readonly awaitTools?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly processors: readonly Processor[];
  readonly settings: EngineSettings;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly budget: Budget;
  /**
   * Anything that differs after work was done, such as a hash of the tree. If unknown, nothing counts as a change.
   */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly cacheKey?: string;
  /** The ids of all calls so far, where the history may not show all of them. */
  readonly usedIds?: Set<string>;
  /** Events of work beside the loop, such as a summary that is being written. The loop yields them with its own. */
  readonly beside: LoopEvent[];
}

/** Time and randomness, passed in so that tests can control them. */
export interface Clock {
  /** Milliseconds that only grow, whatever happens to the time of day. */
  now(): number;
  /** Settles after the given milliseconds; throws the signal's reason if it aborts first. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** Charges a request to the budget. The event it returns is the only account of it, so it must be yielded. */
export function charged(
  usage: TokenUsage | undefined,
  { model, budget }: Pick<LoopParts, "model" | "budget">,
  agent?: string,
): UsageEvent {
  const cost = usage === undefined ? undefined : model.cost(usage);
  budget.charge(cost === undefined ? { unknown: true } : { cost });
  return { type: "usage", usage, cost, ...(agent === undefined ? {} : { agent }) };
}
