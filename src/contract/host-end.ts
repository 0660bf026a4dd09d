import type { ArtifactRef, ExecutionMode, Outcome, Usage } from "./receipt.ts";

/** A host's final report. We don't rely on it for anything we can observe ourselves. */
export interface HostEnd {
  readonly outcome: Outcome;
  readonly mode: ExecutionMode;
  readonly usage: Usage;
  readonly usageRaw: unknown;
  /** Set when the agent did not stop by itself: at a limit of its own, in circles, or because its gates gave up. */
  readonly stopped?: "limit" | "no_progress" | "blocked" | undefined;
  /** Why, in words. */
  readonly because?: string | undefined;
  /** Files below the root that the host reports as artifacts. */
  readonly artifacts?: readonly ArtifactRef[] | undefined;
  /** The agent's own id of this conversation, if the host can continue it in another round. */
  readonly session?: string | undefined;
}

/** Usage when nothing is known. */
export const NO_USAGE: Usage = {
  input_tokens: null,
  output_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  request_units: null,
  estimated_cost_usd: null,
};
