import type { Effort } from "../contract/engine-settings.ts";
import type { AssistantMessage, ImageLimits, Message, TokenUsage } from "../contract/message.ts";
import type { ModelRow, TokenFamily } from "./catalog/row.ts";

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

export interface ModelLimits {
  /** Tokens a request may have. */
  readonly prompt: number;
  /** Tokens an answer may have; undefined if unknown. */
  readonly output: number | undefined;
  /** Where `prompt` comes from. `default`: nothing is known, and 128,000 is assumed. */
  readonly from: "catalogue" | "server" | "default";
  /** How its tokens are counted. */
  readonly family: TokenFamily;
  /** Undefined if unknown. */
  readonly images: ImageLimits | undefined;
}

/** Assumed for a model that nothing is known about. */
export const DEFAULT_PROMPT = 128_000;

/** The limits of a model, from its row and from what its server said about the window. */
export function limitsOf(row: ModelRow | undefined, serverWindow?: number): ModelLimits {
  const known = row?.prompt ?? row?.window;
  return {
    prompt: serverWindow ?? known ?? DEFAULT_PROMPT,
    output: row?.output,
    from: serverWindow !== undefined ? "server" : known === undefined ? "default" : "catalogue",
    family: row?.family ?? "unknown",
    images: row?.images,
  };
}

/**
 * Why a request failed. `transient`: the same request may work later. `too-large`: only a smaller request can work.
 * `bad-image`: it may work without its images. `refused`: only a change of settings (key, name, address) can help.
 */
export type ModelErrorKind = "transient" | "too-large" | "bad-image" | "refused";

interface Details {
  readonly kind: ModelErrorKind;
  readonly status?: number | undefined;
  /** What the provider asked for in `retry-after`. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that a provider did not answer properly. The message contains no key and at most a few lines. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { kind, status, retryAfterMs, cause }: Details) {
    super(message, { cause });
    this.name = "ModelError";
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
