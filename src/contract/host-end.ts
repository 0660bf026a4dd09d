import type { ArtifactRef, ExecutionMode, Outcome, Usage } from "./receipt.ts";

/** What a host says when it is done. Nothing of it is believed that we can see ourselves. */
export interface HostEnd {
  readonly outcome: Outcome;
  readonly mode: ExecutionMode;
  readonly usage: Usage;
  readonly usageRaw: unknown;
  /** Set when the agent's own limit stopped it. */
  readonly stopped?: "limit" | undefined;
  /** Files below the root that the host says it left. */
  readonly artifacts?: readonly ArtifactRef[] | undefined;
}

/** Usage of which nothing is known. */
export const NO_USAGE: Usage = {
  input_tokens: null,
  output_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  request_units: null,
  estimated_cost_usd: null,
};
