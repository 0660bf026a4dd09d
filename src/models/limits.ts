import type { ImageLimits } from "../contract/image-limits.ts";
import type { ModelRow, TokenFamily } from "./catalog/row.ts";

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
