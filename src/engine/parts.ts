import type { EngineSettings } from "../contract/engine-settings.ts";
import type { Tool } from "../contract/tool.ts";
import type { Model } from "../models/model.ts";
import type { Processor } from "./processor.ts";

/** Everything the inner loop works with. The engine has no disk, network or clock of its own. */
export interface LoopParts {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly processors: readonly Processor[];
  readonly settings: EngineSettings;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly cacheKey?: string;
  /** The most that a run may cost, in US dollars. Only with a model whose price is known. */
  readonly mostCost?: number | undefined;
}

/** Time and chance, passed in so that a test needs neither. */
export interface Clock {
  /** Settles after so many milliseconds; throws the signal's reason when that aborts first. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}
