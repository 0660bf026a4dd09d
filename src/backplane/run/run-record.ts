import * as z from "zod";
import { AgentEvent } from "../../contract/agent-event.ts";
import { Capabilities } from "../../contract/capability.ts";
import { BackendIdentity, Outcome } from "../../contract/receipt.ts";
import { Acceptance } from "../../contract/seal.ts";
import { Json } from "../../contract/value.ts";
import { WorkspaceMode } from "../../contract/work-order.ts";

/** A snapshot as stored on disk. */
export const StoredSnapshot = z.object({
  digest: z.string(),
  parts: z.array(z.object({ path: z.string(), tree: z.string() })),
});

/** What is known about a run before it begins. */
export const RunHeader = z.object({
  run_id: z.string(),
  work_order_id: z.string(),
  task: z.string(),
  agent: z.string(),
  mode: WorkspaceMode,
  root: z.string(),
  started_at: z.string(),
  owner: z.object({ pid: z.number(), started: z.string() }),
});
export type RunHeader = z.infer<typeof RunHeader>;

/**
 * One line of a run's log, written before the event is shown. The receipt of a killed run is built from these lines.
 */
export const LogLine = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("workspace"),
    mode: WorkspaceMode,
    source: z.string(),
    root: z.string(),
    snapshots: z.string(),
    before: StoredSnapshot.nullable(),
    base: StoredSnapshot.nullable(),
  }),
  z.object({
    t: z.literal("host"),
    backend: BackendIdentity,
    capabilities: Capabilities,
    agent: z.object({ name: z.string(), version: z.string().nullable(), binary_sha256: z.string().nullable() }),
    holds: z.boolean(),
  }),
  z.object({ t: z.literal("policy"), policy_sha256: z.string() }),
  z.object({ t: z.literal("decision"), verdict: z.enum(["allow", "ask", "deny"]), call: z.string(), tool: z.string() }),
  /** A call that must be in the trace, and how it was answered. */
  z.object({
    t: z.literal("judged"),
    tool: z.string(),
    input: Json,
    id: z.string().optional(),
    verdict: z.enum(["allow", "ask", "deny"]),
    because: z.string(),
  }),
  z.object({ t: z.literal("artifact"), kind: z.string(), path: z.string(), size: z.number(), sha256: z.string() }),
  /** What the check of one round found, in a run of several. */
  z.object({ t: z.literal("checked"), acceptance: z.array(Acceptance) }),
  z.object({ t: z.literal("event"), event: AgentEvent }),
]);
export type LogLine = z.infer<typeof LogLine>;

/** How a run ended. Written to the run's folder once its receipt is stored. */
export const StoredEnd = z.object({
  outcome: Outcome,
  exit_code: z.number(),
  because: z.string(),
  finished_at: z.string(),
  receipt_sha256: z.string(),
  applied_at: z.string().nullable().default(null),
});
export type StoredEnd = z.infer<typeof StoredEnd>;
