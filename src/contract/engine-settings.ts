import * as z from "zod";

const Milliseconds = z.int().min(0).max(3_600_000);

/** The numbers of the engine. Every one has a default; none may be without a bound. */
export const EngineSettings = z.strictObject({
  /** Requests in all for one answer, the first included. */
  tries: z.int().min(1).max(20).default(6),
  retry_base_ms: Milliseconds.default(500),
  retry_cap_ms: Milliseconds.default(30_000),
  /** Turns of one run of the inner loop. */
  turns: z.int().min(1).max(100_000).default(1_000),
  /** Calls that run beside each other. */
  parallel_calls: z.int().min(1).max(64).default(8),
  /** How long a tool may take to settle after an interruption. */
  stop_grace_ms: Milliseconds.default(5_000),
  /** Blocks of one gate in a row, without any change of state, until it gives up. */
  gate_blocks: z.int().min(1).max(100).default(8),
});
export type EngineSettings = z.infer<typeof EngineSettings>;
