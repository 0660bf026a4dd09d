import type { AssistantMessage, Message, TokenUsage } from "../contract/message.ts";

/** A model that can be asked. `ask` throws a ModelError, and only that, unless the signal aborts. */
export interface Model {
  /** As the user names it: `anthropic/claude-haiku-4-5`. */
  readonly name: string;
  /** Where it is asked; undefined for one that is no server. */
  readonly baseUrl?: string;
  /** One answer: any number of deltas, then exactly one `answer`. */
  ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent>;
  /** What a request cost in US dollars; undefined when its price is not known. */
  cost(usage: TokenUsage): number | undefined;
}

export interface ModelRequest {
  readonly system: string;
  readonly history: readonly Message[];
  readonly tools: readonly ToolOffer[];
  /** The same in all requests of a session, so that a provider finds its cache again. */
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
