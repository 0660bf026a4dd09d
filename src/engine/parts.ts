import type { EngineSettings } from "../contract/engine-settings.ts";
import type { Tool } from "../contract/tool.ts";
import type { Model } from "../models/model.ts";
import type { Processor } from "./processor.ts";

/** Everything the inner loop works with. The engine has no direct access to disk, network or clock. */
export interface LoopParts {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly processors: readonly Processor[];
  readonly settings: EngineSettings;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly cacheKey?: string;
  /** The maximum cost of a run, in US dollars. Only for a model whose price is known. */
  readonly mostCost?: number | undefined;
}

/** Time and randomness, passed in so that tests can control them. */
export interface Clock {
  /** Settles after the given milliseconds; throws the signal's reason if it aborts first. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}
