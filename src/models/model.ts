import type { AssistantMessage, Message, TokenUsage } from "../contract/message.ts";
import type { Effort } from "../contract/effort.ts";
import type { ModelLimits } from "./limits.ts";

/** A model that can be asked. `ask` only throws ModelErrors, unless the signal aborts. */
export interface Model {
  /** As the user names it: `anthropic/claude-haiku-4-5`. */
  readonly name: string;
  /** Its address; undefined when it is not a server. */
  readonly baseUrl?: string | undefined;
  /** How much it thinks now; undefined when the provider decides. */
  readonly effort?: Effort | undefined;
  /** How much it takes, as far as known now. A local server's window is known only after `learnLimits`. */
  readonly limits: ModelLimits;
  /**
   * Asks a local server for its window. Never throws, takes a second at most, and sends nothing for other models. While
   * the answer is uncertain, and until the signal aborts, requests ask again beside them, three times in all.
   */
  learnLimits(signal: AbortSignal): Promise<void>;
  /** One answer: any number of deltas, then exactly one `answer`. */
  ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent>;
  /** The cost of a request in US dollars; undefined when its price is unknown. */
  cost(usage: TokenUsage): number | undefined;
}

export interface ModelRequest {
  readonly system: string;
  readonly history: readonly Message[];
  readonly tools: readonly ToolOffer[];
  /** Texts for this request only. They come last, behind everything that a provider caches. */
  readonly tail?: readonly string[];
  /** The same in all requests of a session, so that a provider can reuse its cache. */
  readonly cacheKey?: string;
}

/** A tool as the model sees it. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  | { readonly type: "answer"; readonly message: AssistantMessage; readonly usage: TokenUsage | undefined };
