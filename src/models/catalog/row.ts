import type { ImageLimits } from "../../contract/message.ts";

/** US dollars per million tokens: fresh input, output, input read from the cache, input written to it. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface Price extends Rates {
  /** Different rates for requests with more input than this. */
  readonly long?: Rates & { readonly above: number };
}

/**
 * How a model is told to think more or less. `adaptive`: Anthropic's effort beside adaptive thinking. `effort` and
 * `level`: one of the provider's own words. `budget`: a number of tokens.
 */
export type Thinking =
  | { readonly kind: "none" }
  | { readonly kind: "level"; readonly levels: readonly string[] }
  | {
      readonly kind: "adaptive";
      readonly levels: readonly string[];
      /** What it thought is refused behind a history that has changed, unless it is told to drop it then. */
      readonly isBound?: true;
    }
  | {
      readonly kind: "effort";
      readonly levels: readonly string[];
      /** Chat Completions accepts no tools beside it; the Responses protocol does. */
      readonly notInChat?: true;
    }
  | { readonly kind: "budget"; readonly most: number };

/** Models of a family split text into tokens alike. */
export type TokenFamily = "o200k" | "anthropic" | "anthropic-4.7" | "google" | "unknown";

/** Where some of a row's facts were read, and on which day. */
export interface Source {
  readonly of: "price" | "tokens" | "thinking" | "images";
  readonly from: string;
  readonly read: string;
}

/** What is known about one model. Whatever is missing is unknown; nothing is guessed. */
export interface ModelRow {
  readonly provider: string;
  /** The id; a date, `-latest` or `-preview` may follow it. */
  readonly model: string;
  readonly price?: Price;
  /** Tokens of prompt and answer together. */
  readonly window: number;
  /** Tokens of the prompt, where that limit is lower than the window. */
  readonly prompt?: number;
  /** Tokens of an answer, thinking included. */
  readonly output?: number;
  readonly thinking: Thinking;
  readonly images?: ImageLimits;
  readonly family: TokenFamily;
  readonly sources: readonly Source[];
  /** Used when only its provider has a key and nothing else is chosen. */
  readonly isDefault?: true;
}

export const rates = (input: number, output: number, [cacheRead, cacheWrite]: readonly [number, number]): Rates => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});
