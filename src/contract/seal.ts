import * as z from "zod";
import { Outcome } from "./receipt.ts";
import { Count, Sha256, Timestamp, Uuid } from "./value.ts";

/** Why a run stopped: nothing more than that. */
export const StopReason = z.enum(["answered", "denied", "limit", "no_progress", "crashed", "interrupted", "failed"]);
export type StopReason = z.infer<typeof StopReason>;

/** The state of a workspace: a git tree (40 digits), or a SHA-256 over its files (64). */
export const Tree = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "must be a hash of 40 or 64 digits");
export type Tree = z.infer<typeof Tree>;

/** One acceptance check that we ran ourselves, and the tree that it saw. */
export const Acceptance = z.strictObject({
  command: z.string(),
  exit_code: z.int32().nullable(),
  tree: Tree.nullable(),
});
export type Acceptance = z.infer<typeof Acceptance>;

/** What a seal says beside the hashes of its subjects: the part that the runtime knows. */
export const SealFacts = z.strictObject({
  agent: z.strictObject({
    name: z.string(),
    version: z.string().nullable(),
    binary_sha256: Sha256.nullable(),
  }),
  guard: z.strictObject({
    version: z.string(),
    policy_sha256: Sha256.nullable(),
    decisions: z.strictObject({ allow: Count, ask: Count, deny: Count }),
    /** False when any call could not be held back; such a run never counts as guarded. */
    held: z.boolean(),
    calls_not_held: z.array(z.string()),
  }),
  /** Three different things: that it stopped, that the agent says it is done, that our checks say so. */
  stopped: StopReason,
  claimed: z.boolean(),
  verified: z.enum(["accepted", "refused", "stale", "not_checked"]),
  acceptance: z.array(Acceptance),
  /** The final state of the workspace; null when there is none. */
  tree: Tree.nullable(),
  /** The folder that the paths of artifacts start from. */
  artifacts_folder: z.string().nullable(),
  artifacts: z.array(z.strictObject({ path: z.string(), sha256: Sha256, size: Count })),
  proof: z.string().nullable(),
  /** The newest record of the audit segment that belongs to this run. */
  audit_head: z.strictObject({ segment: z.string(), hash: Sha256, count: Count }).nullable(),
});
export type SealFacts = z.infer<typeof SealFacts>;

/** A seal's place in the chain of this machine. `previous` is the SHA-256 of the line before it. */
export const SealPredicate = z.strictObject({
  ...SealFacts.shape,
  run_id: Uuid,
  work_order_id: Uuid,
  backend: z.string(),
  outcome: Outcome,
  started_at: Timestamp,
  finished_at: Timestamp,
  sequence: z.int().min(1),
  previous: Sha256.nullable(),
  sealed_at: Timestamp,
});
export type SealPredicate = z.infer<typeof SealPredicate>;

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const PREDICATE_TYPE = "urn:signalbox:seal:v1";
export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** The in-toto statement: which bytes are meant, and what is said about them. */
export const Statement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.strictObject({ name: z.string(), digest: z.record(z.string(), z.string()) })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: SealPredicate,
});
export type Statement = z.infer<typeof Statement>;

/** The DSSE envelope around a statement: one Ed25519 signature over exactly the payload's bytes. */
export const Seal = z.strictObject({
  payload: z.base64(),
  payloadType: z.literal(PAYLOAD_TYPE),
  signatures: z.tuple([z.strictObject({ keyid: Sha256, sig: z.base64() })]),
});
export type Seal = z.infer<typeof Seal>;
