import * as z from "zod";
import { AgentEvent, ErrorCode } from "./agent-event.ts";
import { Capabilities } from "./capability.ts";
import { BackendIdentity, ExecutionMode, LooseReceipt, Receipt } from "./receipt.ts";
import { Count, JsonObject } from "./value.ts";
import { WorkOrder } from "./work-order.ts";

const Reference = z.string().min(1);

/** Every line a host writes: `hello` once, then for each run any number of `event`s and exactly one `final` or `fatal`. */
export const HostEnvelope = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("hello"),
    contract_version: z.string(),
    backend: BackendIdentity,
    capabilities: Capabilities,
    mode: ExecutionMode,
  }),
  z.object({ t: z.literal("event"), ref_id: Reference, event: AgentEvent }),
  z.object({ t: z.literal("final"), ref_id: Reference, receipt: Receipt }),
  z.object({
    t: z.literal("fatal"),
    ref_id: Reference.nullable(),
    error: z.string(),
    error_code: ErrorCode.optional(),
  }),
  z.object({ t: z.literal("pong"), seq: Count }),
]);
export type HostEnvelope = z.infer<typeof HostEnvelope>;

/** Every line the runtime writes to a host. */
export const RuntimeEnvelope = z.discriminatedUnion("t", [
  z.object({ t: z.literal("run"), id: Reference, work_order: WorkOrder }),
  z.object({ t: z.literal("cancel"), ref_id: Reference, reason: z.string().nullable() }),
  z.object({ t: z.literal("ping"), seq: Count }),
]);
export type RuntimeEnvelope = z.infer<typeof RuntimeEnvelope>;

/**
 * A host's line as the runtime reads it. Missing or extra fields, which real hosts do send, are not errors here:
 * capabilities, events and receipts are parsed separately, and anything that doesn't fit is kept as data.
 */
export const LooseHostEnvelope = z.discriminatedUnion("t", [
  z.looseObject({
    t: z.literal("hello"),
    contract_version: z.string(),
    backend: BackendIdentity,
    capabilities: z.record(z.string(), z.unknown()).default({}),
    mode: ExecutionMode.catch("mapped"),
  }),
  z.object({ t: z.literal("event"), ref_id: z.string(), event: JsonObject }),
  z.object({ t: z.literal("final"), ref_id: z.string(), receipt: LooseReceipt }),
  z.object({
    t: z.literal("fatal"),
    ref_id: z.string().nullable().default(null),
    error: z.string(),
    error_code: z.string().nullish(),
  }),
  z.object({ t: z.literal("pong"), seq: z.number() }),
]);
export type LooseHostEnvelope = z.infer<typeof LooseHostEnvelope>;

/** A runtime line as a host reads it. The order in a `run` is parsed separately, so that a bad one can be answered. */
export const LooseRuntimeEnvelope = z.discriminatedUnion("t", [
  z.object({ t: z.literal("run"), id: Reference, work_order: JsonObject }),
  z.object({ t: z.literal("cancel"), ref_id: z.string(), reason: z.string().nullable().default(null) }),
  z.object({ t: z.literal("ping"), seq: z.number() }),
]);
export type LooseRuntimeEnvelope = z.infer<typeof LooseRuntimeEnvelope>;
