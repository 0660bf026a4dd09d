import { join, relative } from "node:path";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import {
  type BackendIdentity,
  CONTRACT_VERSION,
  type HostEnd,
  NO_USAGE,
  type Outcome,
  Receipt,
  Usage,
} from "../../contract/receipt.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { SealFacts, StopReason } from "../../contract/seal.ts";
import { redact } from "../../guard/redact.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { compareSnapshots } from "../../snapshots/changes.ts";
import { openSnapshots, type SnapshotStore } from "../../snapshots/snapshot.ts";
import { keptChecks, type WorkCheck } from "../acceptance/accept-work.ts";
import type { AgentIdentity } from "../host.ts";
import { finalReceipt } from "../seal/canonical-receipt.ts";
import type { CommitWatch } from "../commit-watch.ts";
import { storeReceipt } from "../seal/store-receipt.ts";
import type { ArtifactStore } from "../workspace/artifacts.ts";
import type { Workspace } from "../workspace/open-workspace.ts";
import type { StopCause } from "./limits.ts";
import type { GuardCounts } from "./order-guard.ts";
import type { RunHeader, StoredEnd } from "./run-log.ts";
import type { RunSetting } from "./run-setup.ts";

interface Observed {
  /** Why we stopped the run, if we did. */
  readonly stop: StopCause | undefined;
  /** The outcome the host reported; undefined if it reported none. */
  readonly outcome: Outcome | undefined;
  readonly verified: SealFacts["verified"];
  readonly notAccepted: string | undefined;
  readonly lastDenied: boolean;
  /** The last error that the host reported. */
  readonly lastError: string | undefined;
  /** The number of the last round. */
  readonly round?: number | undefined;
}

export interface DecidedOutcome {
  readonly outcome: Outcome;
  readonly stopped: StopReason;
  readonly claimed: boolean;
  readonly exitCode: number;
  readonly because: string;
}

/** Decides how a run really ended, from what the host reported and what we observed. The first match wins. */
export function decideOutcome(seen: Observed): DecidedOutcome {
  const { stop, outcome: reported, lastError } = seen;
  const claimed = reported === "complete";
  const ended: Ended = (outcome, stopped, because, exitCode = STOP_EXIT[stopped]) => ({
    outcome,
    stopped,
    claimed,
    exitCode,
    because,
  });
  if (stop !== undefined) {
    const failed = stop.stopped === "crashed" || stop.stopped === "failed";
    return ended(failed ? "failed" : "partial", stop.stopped, stop.because, stop.exitCode);
  }
  if (claimed && seen.verified !== "not_checked") return checkedOutcome(seen, ended);
  if (seen.lastDenied) return ended("partial", "denied", "a call was blocked, and the agent did nothing after that");
  if (claimed && lastError === undefined) return ended("complete", "answered", "done");
  const because =
    lastError === undefined
      ? `the agent reported: ${reported ?? "nothing"}`
      : claimed
        ? `claimed done, but an error was reported: ${lastError}`
        : `the agent failed: ${lastError}`;
  return ended(reported === "failed" ? "failed" : "partial", "failed", because);
}

type Ended = (outcome: Outcome, stopped: StopReason, because: string, exitCode?: number) => DecidedOutcome;

/** What our own checks say about a run that claims to be done. */
function checkedOutcome({ verified, notAccepted, round = 1 }: Observed, ended: Ended): DecidedOutcome {
  const after = round === 1 ? "" : ` after ${round} rounds`;
  if (verified === "accepted") return ended("complete", "answered", `done and accepted${after}`);
  if (verified !== "changed_check") {
    const because = `claimed done, not accepted${after}: ${notAccepted ?? verified}`;
    return ended("failed", "answered", because, RUN_EXIT.notAccepted);
  }
  const because = `accepted by a changed check${after}: ${notAccepted ?? "the files that decide it were changed"}`;
  return ended("partial", "answered", because, RUN_EXIT.changedCheck);
}

const STOP_EXIT: Record<StopReason, number> = {
  answered: RUN_EXIT.done,
  denied: RUN_EXIT.denied,
  limit: RUN_EXIT.limit,
  no_progress: RUN_EXIT.noProgress,
  crashed: RUN_EXIT.crashed,
  interrupted: RUN_EXIT.interrupted,
  failed: RUN_EXIT.failed,
};

/** Everything known about a run in which nothing more will happen, whether it ended or was killed. */
export interface EndedRun {
  readonly header: RunHeader;
  readonly folder: string;
  readonly durationMs: number;
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly agent: AgentIdentity;
  readonly holds: boolean;
  readonly containment?: SealFacts["containment"];
  readonly trace: readonly AgentEvent[];
  readonly end: HostEnd | undefined;
  readonly guard: GuardCounts & { readonly policyHash: string | null };
  readonly auditHead: SealFacts["audit_head"];
  readonly artifacts: ArtifactStore;
  /** Without the store it had, if the run was killed. */
  readonly workspace: (Workspace & { readonly store?: SnapshotStore }) | undefined;
  /** Of a run in place that was not killed. */
  readonly commits?: CommitWatch | undefined;
}

/** A placeholder host for a run that ended before it had one. */
export const unknownHost = (agent: string) => ({
  backend: { id: agent, backend_version: null, adapter_version: null },
  capabilities: {},
  agent: { name: agent, version: null, binary_sha256: null },
  holds: false,
});

/** A complete receipt with the data that belongs to it. */
export interface BuiltReceipt {
  /** The last events of the trace. They are also in the receipt. */
  readonly events: readonly AgentEvent[];
  readonly receipt: Receipt;
  readonly facts: SealFacts;
  readonly decided: DecidedOutcome;
  readonly patch: string | undefined;
  readonly commit: string | undefined;
}

/** Builds the diff, last events, receipt, and seal facts of a run that has ended. */
export async function buildReceipt(
  run: EndedRun,
  found: WorkCheck,
  outcome: DecidedOutcome,
  { secrets, version }: RunSetting,
): Promise<BuiltReceipt> {
  const clean = (text: string) => redact(text, secrets).text;
  const checked = { ...found, acceptance: keptChecks(found.acceptance, secrets) };
  const decided = { ...outcome, because: clean(outcome.because) };
  const { because } = decided;
  const { warning, ...tree } = await finalTree(run, clean);
  const refusal = decided.outcome === "failed" && !run.trace.some(({ type }) => type === "error");
  const events = [
    ...(warning === undefined ? [] : [newEvent({ type: "warning", message: clean(warning) })]),
    ...(refusal ? [newEvent({ type: "error", message: because, error_code: "validation_failed" })] : []),
    endEvent(run.guard.callsNotHeld, checked, decided),
  ];
  const accepted =
    checked.verified === "accepted" || (checked.verified === "not_checked" && decided.outcome === "complete");
  const verification = { git_diff: tree.diff, git_status: tree.status, harness_ok: accepted };
  const trace = [...run.trace, ...events];
  const receipt = finalReceipt(draftReceipt({ ...run, trace }, decided.outcome, verification), secrets);
  const facts = sealFactsOf(run, checked, decided, { version, tree: tree.digest });
  return { events, receipt, facts, decided, patch: tree.patchFile, commit: await run.commits?.end() };
}

/** Stores and seals a receipt. Returns its file in the store, and how the run ended, for the run's folder. */
export function sealRun({ receipt, facts, decided, commit }: BuiltReceipt, home: string) {
  const { file } = storeReceipt(home, { receipt, facts, commit, now: () => new Date() });
  const end: StoredEnd = {
    outcome: decided.outcome,
    exit_code: decided.exitCode,
    because: decided.because,
    finished_at: receipt.meta.finished_at,
    receipt_sha256: receipt.receipt_sha256 ?? "",
    applied_at: null,
  };
  return { file, end };
}

const MAX_DIFF = 256 * 1024;

interface FinalTree {
  readonly diff: string | null;
  readonly status: string | null;
  readonly digest: string | null;
  readonly patchFile: string | undefined;
  readonly warning?: string;
}

const NO_TREE: FinalTree = { diff: null, status: null, digest: null, patchFile: undefined };

/** If the workspace can no longer be read, the receipt has no diff, but there is still a receipt. */
async function finalTree(run: EndedRun, clean: (text: string) => string): Promise<FinalTree> {
  try {
    return await readTree(run, clean);
  } catch (error) {
    return { ...NO_TREE, warning: `changes cannot be shown: ${messageOf(error)}` };
  }
}

/** The changes made by the run. For a staged run, the patch is saved in the run's folder so that it can be applied. */
async function readTree(run: EndedRun, clean: (text: string) => string): Promise<FinalTree> {
  const { workspace } = run;
  if (workspace?.before === undefined || workspace.before === null) return NO_TREE;
  const { mode, root, snapshots, before } = workspace;
  const store = workspace.store ?? openSnapshots(root, snapshots, before);
  const unread: string[] = [];
  const after = await store.take({ onUnreadable: (file) => unread.push(relative(root, file)) });
  const changes = await compareSnapshots(store, before, after);
  // In the form of the other lines of the status.
  const status = `${changes.status}${unread.map((path) => `?  ${path}\n`).join("")}`;
  // What is in such a file is not known.
  const digest = unread.length === 0 ? after.digest : null;
  const patchFile = mode === "staged" ? join(run.folder, "changes.patch") : undefined;
  if (patchFile !== undefined) atomicWrite(patchFile, changes.patch);
  const text = clean(changes.patch.toString("utf8"));
  if (Buffer.byteLength(text) <= MAX_DIFF) return { diff: text, status, digest, patchFile };
  const { path } = run.artifacts.write("patch", "changes.patch", text);
  return { diff: `the diff is in ${path}\n`, status, digest, patchFile };
}

/** The last event of every trace. Also carries what the contract has no fields for. */
function endEvent(callsNotHeld: readonly string[], { verified }: WorkCheck, decided: DecidedOutcome): AgentEvent {
  const { exitCode, stopped, claimed, because, outcome } = decided;
  return newEvent({
    type: "run_completed",
    message: `run completed: ${outcome}`,
    ext: { stopped, claimed, verified, because, exit_code: exitCode, calls_not_held: callsNotHeld },
  });
}

/** The receipt of a run, without its hash. */
function draftReceipt(run: EndedRun, outcome: Outcome, verification: Receipt["verification"]): Receipt {
  const { header, end, durationMs } = run;
  return Receipt.parse({
    meta: {
      run_id: header.run_id,
      work_order_id: header.work_order_id,
      contract_version: CONTRACT_VERSION,
      started_at: header.started_at,
      // Don't read the clock again; it may have been set in the meantime.
      finished_at: new Date(Date.parse(header.started_at) + durationMs).toISOString(),
      duration_ms: durationMs,
    },
    backend: run.backend,
    capabilities: run.capabilities,
    mode: end?.mode ?? "mapped",
    usage_raw: end?.usageRaw ?? null,
    usage: end?.usage ?? lastUsage(run.trace),
    trace: run.trace,
    artifacts: run.artifacts.written.map(({ kind, path }) => ({ kind, path })),
    verification,
    outcome,
    receipt_sha256: null,
  });
}

/** A host that died may have reported its usage in an event. */
function lastUsage(trace: readonly AgentEvent[]): Usage {
  const found = Usage.safeParse(trace.findLast(({ ext }) => ext?.["usage"] !== undefined)?.ext?.["usage"]);
  return found.success ? found.data : NO_USAGE;
}

function sealFactsOf(
  run: EndedRun,
  checked: WorkCheck,
  decided: DecidedOutcome,
  { version, tree }: { readonly version: string; readonly tree: string | null },
): SealFacts {
  const { header, guard } = run;
  return {
    agent: run.agent,
    guard: {
      version,
      policy_sha256: guard.policyHash,
      decisions: guard.decisions,
      held: run.holds && guard.callsNotHeld.length === 0,
      calls_not_held: [...guard.callsNotHeld],
    },
    stopped: decided.stopped,
    claimed: decided.claimed,
    verified: checked.verified,
    acceptance: [...checked.acceptance],
    tree,
    artifacts_folder: run.artifacts.written.length === 0 ? null : header.root,
    artifacts: run.artifacts.written.map(({ path, sha256, size }) => ({ path, sha256, size })),
    proof: null,
    ...(run.containment === undefined ? {} : { containment: run.containment }),
    audit_head: run.auditHead,
  };
}
