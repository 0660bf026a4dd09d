import * as z from "zod";
import { AgentEvent } from "./agent-event.ts";
import { Capabilities } from "./capability.ts";
import { Count, Decimal, ExactCount, Json, Timestamp, Uuid } from "./value.ts";

/** The contract version we speak. Other minor versions are accepted, other major versions rejected. */
export const CONTRACT_VERSION = "abp/v0.1";

const TextOrNull = z.string().nullable().default(null);

/** The program that did the work. */
export const BackendIdentity = z.object({ id: z.string(), backend_version: TextOrNull, adapter_version: TextOrNull });
export type BackendIdentity = z.infer<typeof BackendIdentity>;

export const ExecutionMode = z.enum(["mapped", "passthrough"]);
export type ExecutionMode = z.infer<typeof ExecutionMode>;

export const Outcome = z.enum(["complete", "partial", "failed"]);
export type Outcome = z.infer<typeof Outcome>;

/** A file that a run left behind. Its size and hash are in an event's `ext` and in the seal. */
export const ArtifactRef = z.object({ kind: z.string(), path: z.string() });
export type ArtifactRef = z.infer<typeof ArtifactRef>;

export const VerificationReport = z.object({ git_diff: TextOrNull, git_status: TextOrNull, harness_ok: z.boolean() });
export type VerificationReport = z.infer<typeof VerificationReport>;

const metaWith = <Whole extends z.ZodType>(count: Whole) =>
  z.object({
    run_id: Uuid,
    work_order_id: Uuid,
    contract_version: z.string(),
    started_at: Timestamp,
    finished_at: Timestamp,
    duration_ms: count,
  });

const usageWith = <Whole extends z.ZodType>(count: Whole) => {
  const nullableCount = count.nullish().transform((value) => value ?? null);
  return z.object({
    input_tokens: nullableCount,
    output_tokens: nullableCount,
    cache_read_tokens: nullableCount,
    cache_write_tokens: nullableCount,
    request_units: nullableCount,
    estimated_cost_usd: Decimal.nullish().transform((value) => value ?? null),
  });
};

const receiptWith = <Whole extends z.ZodType>(count: Whole) =>
  z.object({
    meta: metaWith(count),
    backend: BackendIdentity,
    capabilities: Capabilities,
    mode: ExecutionMode.default("mapped"),
    usage_raw: Json,
    usage: usageWith(count),
    trace: z.array(AgentEvent),
    artifacts: z.array(ArtifactRef),
    verification: VerificationReport,
    outcome: Outcome,
    /** Any value from a host is replaced. */
    receipt_sha256: TextOrNull,
  });

/** Usage, in the contract's names; null means unknown, not zero. */
export const Usage = usageWith(Count);
export type Usage = z.infer<typeof Usage>;

/** What a run did. `receipt_sha256` is the hash of the rest (backplane/receipts/canonical-receipt.ts). */
export const Receipt = receiptWith(Count);
export type Receipt = z.infer<typeof Receipt>;

/** A receipt that allows counts as large as the original implementation's, for hashing receipts written by others. */
export const ExactReceipt = receiptWith(ExactCount);
export type ExactReceipt = z.infer<typeof ExactReceipt>;
