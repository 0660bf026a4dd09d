import * as z from "zod";
import { Outcome } from "./receipt.ts";
import { Count, Sha256, Timestamp, Uuid } from "./value.ts";

/** Why a run stopped, and nothing more. */
export const StopReason = z.enum(["answered", "denied", "limit", "no_progress", "crashed", "interrupted", "failed"]);
export type StopReason = z.infer<typeof StopReason>;

/** The state of a workspace: a git tree hash (40 digits), or a SHA-256 over its files (64). */
export const Tree = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "must be a hash of 40 or 64 digits");
export type Tree = z.infer<typeof Tree>;

/** A file that decides the check and is not as it was when the work began. */
export const DecidingFile = z.strictObject({
  path: z.string(),
  how: z.enum(["edited", "deleted", "created", "replaced by a link"]),
});
export type DecidingFile = z.infer<typeof DecidingFile>;

/** The same check on a copy in which the files that decide it are as they were when the work began. */
export const BaseCheck = z.strictObject({
  changed: z.array(DecidingFile),
  /** Null if it could not run, or did not exit by itself. */
  exit_code: z.int32().nullable(),
  /** Why it did not pass. */
  because: z.string().nullable(),
});
export type BaseCheck = z.infer<typeof BaseCheck>;

/** One acceptance check that we ran ourselves, and the tree it ran on. */
export const Acceptance = z.strictObject({
  command: z.string(),
  exit_code: z.int32().nullable(),
  /** Missing in seals of earlier versions. */
  timed_out: z.literal(true).optional(),
  tree: Tree.nullable(),
  /** The round after which it ran. Missing where there was only one, and in seals of earlier versions. */
  round: z.int().min(1).optional(),
  /** Missing if nothing that decides the check has changed, and in seals of earlier versions. */
  base: BaseCheck.optional(),
});
export type Acceptance = z.infer<typeof Acceptance>;

/** Where the commands of a run ran, and what left the sandbox. */
export const ContainmentFacts = z.strictObject({
  contained: z.boolean(),
  /** Missing where there was no sandbox, and in seals of earlier versions. */
  form: z.enum(["bubblewrap", "landlock", "seatbelt", "agent"]).optional(),
  /** What held them: `bubblewrap`, `seatbelt`, or the agent whose own sandbox was used. */
  by: z.string().nullable(),
  held: z.array(z.string()),
  proven_at: Timestamp.nullable(),
  /** Why there was no sandbox. */
  because: z.string().nullable(),
  hosts: z.array(z.strictObject({ host: z.string(), sent: Count, received: Count })),
  refused_hosts: z.array(z.string()),
  /** What a person lent to single commands. */
  lent: z.array(z.strictObject({ what: z.string(), command: z.string() })),
  /** Commands that ran outside. */
  outside: z.array(z.string()),
});
export type ContainmentFacts = z.infer<typeof ContainmentFacts>;

/** The facts of a run whose commands were not contained. */
export const uncontained = (because: string | null): ContainmentFacts => ({
  contained: false,
  by: null,
  held: [],
  proven_at: null,
  because,
  hosts: [],
  refused_hosts: [],
  lent: [],
  outside: [],
});

/** The seal's claims besides the hashes of its subjects: the facts the runtime knows. */
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
    /** False when any call could not be intercepted; such a run never counts as guarded. */
    held: z.boolean(),
    calls_not_held: z.array(z.string()),
  }),
  /** Three separate facts: the run stopped, the agent claims to be done, our checks agree. */
  stopped: StopReason,
  claimed: z.boolean(),
  verified: z.enum(["accepted", "changed_check", "refused", "stale", "not_checked"]),
  acceptance: z.array(Acceptance),
  /** The final state of the workspace; null when there is none. */
  tree: Tree.nullable(),
  /** The folder that artifact paths are relative to. */
  artifacts_folder: z.string().nullable(),
  artifacts: z.array(z.strictObject({ path: z.string(), sha256: Sha256, size: Count })),
  proof: z.string().nullable(),
  /** Missing in seals of earlier versions, and when the run ended before its commands could be contained. */
  containment: ContainmentFacts.nullish(),
  /** The newest record of this run's audit segment. */
  audit_head: z.strictObject({ segment: z.string(), hash: Sha256, count: Count }).nullable(),
});
export type SealFacts = z.infer<typeof SealFacts>;

/** A seal's position in this machine's chain. `previous` is the SHA-256 of the preceding line. */
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

/** The name of the subject that is the commit which the work ended on. */
export const COMMIT_SUBJECT = "commit";

/** The in-toto statement: which bytes it covers, and what it claims about them. */
export const Statement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.strictObject({ name: z.string(), digest: z.record(z.string(), z.string()) })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: SealPredicate,
});
export type Statement = z.infer<typeof Statement>;

/** The DSSE envelope around a statement: one Ed25519 signature over the exact payload bytes. */
export const Seal = z.strictObject({
  payload: z.base64(),
  payloadType: z.literal(PAYLOAD_TYPE),
  signatures: z.tuple([z.strictObject({ keyid: Sha256, sig: z.base64() })]),
});
export type Seal = z.infer<typeof Seal>;
