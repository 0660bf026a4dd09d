import * as z from "zod";

const Milliseconds = z.int().min(0).max(3_600_000);

/** The engine's limits. Each has a default, and none can be unlimited. */
export const EngineSettings = z
  .strictObject({
    /** Maximum requests for one answer, including the first. */
    tries: z.int().min(1).max(20).default(6),
    retry_base_ms: Milliseconds.default(500),
    retry_cap_ms: Milliseconds.default(30_000),
    /** How long a provider may stay silent, before its answer and within it. */
    idle_ms: Milliseconds.min(1_000).default(300_000),
    /** Maximum turns in one run of the inner loop. */
    turns: z.int().min(1).max(100_000).default(1_000),
    /** Maximum calls running in parallel. */
    parallel_calls: z.int().min(1).max(64).default(8),
    /** How long a tool may take to settle after an interruption. */
    stop_grace_ms: Milliseconds.default(5_000),
    /** Consecutive blocks by one gate, without any change of state, before it gives up. */
    gate_blocks: z.int().min(1).max(100).default(8),
    /** How often in a row an agent on autopilot that stops without `task_complete` is told to go on. */
    autopilot_continues: z.int().min(0).max(100).default(5),
    /** The share of the model's window from which a summary is written while the agent works on. */
    compact_at: z.number().min(0.05).max(1).default(0.8),
    /** The share from which the next request waits for it. */
    compact_wait_at: z.number().min(0.05).max(1).default(0.95),
  })
  .refine(({ compact_at: begin, compact_wait_at: wait }) => wait >= begin, {
    path: ["compact_wait_at"],
    error: "must be at least compact_at, or a request would wait for a summary that nobody writes (default: 0.95)",
  });
export type EngineSettings = z.infer<typeof EngineSettings>;
