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

const Fields = z.record(z.string(), z.unknown());

/**
 * A receipt as a host sends it, used only for what the runtime cannot know itself. Any field may be missing, and each
 * part must pass its own schema before it is used.
 */
export const LooseReceipt = z.looseObject({
  meta: z.unknown().optional(),
  backend: z.unknown().optional(),
  capabilities: Fields.optional(),
  mode: z.unknown().optional(),
  usage_raw: z.unknown().optional(),
  usage: z.unknown().optional(),
  trace: z.array(z.unknown()).optional(),
  artifacts: z.array(z.unknown()).optional(),
  verification: z.unknown().optional(),
  outcome: z.unknown().optional(),
});

export type LooseReceipt = z.infer<typeof LooseReceipt>;

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

type UsageCount = keyof Usage;

/** The usage of both together. What neither knows stays unknown. */
export const addUsage = (one: Usage, other: Usage): Usage =>
  byCount((count) => (one[count] === null ? other[count] : one[count] + (other[count] ?? 0)));

/**
 * What was used since `before`, where `totals` are the counts that went on from there. A total that is lower than before
 * was started anew, so it is taken as it is.
 */
export const usageSince = (reported: Usage, before: Usage, totals: readonly UsageCount[]): Usage =>
  byCount((count) => {
    const [now, then] = [reported[count], before[count] ?? 0];
    return now !== null && totals.includes(count) && now >= then ? now - then : now;
  });

const byCount = (value: (count: UsageCount) => number | null): Usage => ({
  input_tokens: value("input_tokens"),
  output_tokens: value("output_tokens"),
  cache_read_tokens: value("cache_read_tokens"),
  cache_write_tokens: value("cache_write_tokens"),
  request_units: value("request_units"),
  estimated_cost_usd: value("estimated_cost_usd"),
});
