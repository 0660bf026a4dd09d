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
import type { SealFacts } from "../../contract/seal.ts";
import { redact } from "../../guard/redact.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { AgentIdentity } from "../host.ts";
import type { WorkCheck } from "../acceptance/accept-work.ts";
import { finalReceipt } from "../seal/canonical-receipt.ts";
import { storeReceipt } from "../seal/store-receipt.ts";
import { compareSnapshots } from "../../snapshots/changes.ts";
import type { Workspace } from "../workspace/open-workspace.ts";
import { openSnapshots, type Snapshot, type SnapshotStore } from "../../snapshots/snapshot.ts";
import type { ArtifactStore } from "./artifacts.ts";
import type { GuardCounts } from "./call-ledger.ts";
import type { DecidedOutcome } from "./decide-outcome.ts";
import type { RunSetting } from "./run-parts.ts";
import type { RunHeader, StoredEnd } from "./run-log.ts";

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
  readonly workspace: Workspace | undefined;
  readonly store: SnapshotStore | undefined;
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
}

interface HowItEnded {
  readonly checked: WorkCheck;
  readonly decided: DecidedOutcome;
}

/** Builds the diff, last events, receipt, and seal facts of a run that has ended. */
export async function buildReceipt(run: EndedRun, how: HowItEnded, setting: RunSetting): Promise<BuiltReceipt> {
  const { checked, decided } = how;
  const { secrets, version } = setting;
  const clean = (text: string) => redact(text, secrets).text;
  const { tree, warning } = await treeOrWarning(run, setting);
  const refusal = decided.outcome === "failed" && !run.trace.some(({ type }) => type === "error");
  const events = [
    ...(warning === undefined ? [] : [newEvent({ type: "warning", message: clean(warning) })]),
    ...(refusal ? [newEvent({ type: "error", message: clean(decided.because), error_code: "validation_failed" })] : []),
    endEvent(run, checked, { ...decided, because: clean(decided.because) }),
  ];
  const accepted =
    checked.verified === "accepted" || (checked.verified === "not_checked" && decided.outcome === "complete");
  const whole = { ...run, trace: [...run.trace, ...events] };
  const receipt = finalReceipt(draftReceipt(whole, tree, { outcome: decided.outcome, accepted }), secrets);
  const facts = sealFactsOf(run, { version, decided, checked, tree: tree.tree });
  return { events, receipt, facts, decided, patch: tree.patchFile };
}

interface SealedRun {
  /** How the run ended, for its folder. */
  readonly end: StoredEnd;
  /** The receipt's file in the store. */
  readonly file: string;
}

/** Stores and seals a receipt. */
export function sealRun({ receipt, facts, decided }: BuiltReceipt, home: string): SealedRun {
  const { file } = storeReceipt(home, { receipt, facts, now: () => new Date() });
  const end = {
    outcome: decided.outcome,
    exit_code: decided.exitCode,
    because: decided.because,
    finished_at: receipt.meta.finished_at,
    receipt_sha256: receipt.receipt_sha256 ?? "",
    applied_at: null,
  };
  return { end, file };
}

/** If the workspace can no longer be read, the receipt has no diff, but there is still a receipt. */
async function treeOrWarning(run: EndedRun, setting: RunSetting): Promise<{ tree: FinalTree; warning?: string }> {
  try {
    return { tree: await finalTree(run, setting) };
  } catch (error) {
    const tree = { diff: null, status: null, tree: null, patchFile: undefined };
    return { tree, warning: `changes cannot be shown: ${messageOf(error)}` };
  }
}

const MAX_DIFF = 256 * 1024;

interface FinalTree {
  readonly diff: string | null;
  readonly status: string | null;
  readonly tree: string | null;
  readonly patchFile: string | undefined;
}

/** In the form of the other lines of the status. */
const unreadableLine = (path: string) => `?  ${path}\n`;

/** The changes made by the run. For a staged run, the patch is saved in the run's folder so that it can be applied. */
async function finalTree(run: EndedRun, { secrets }: Pick<RunSetting, "secrets">): Promise<FinalTree> {
  const { workspace } = run;
  if (workspace?.before === undefined || workspace.before === null)
    return { diff: null, status: null, tree: null, patchFile: undefined };
  const store = run.store ?? openSnapshots(workspace.root, workspace.snapshots, workspace.before);
  const unread: string[] = [];
  const after: Snapshot = await store.take({ onUnreadable: (file) => unread.push(relative(workspace.root, file)) });
  const changes = await compareSnapshots(store, workspace.before, after);
  const { patch } = changes;
  const status = `${changes.status}${unread.map(unreadableLine).join("")}`;
  // What is in such a file is not known.
  const tree = unread.length === 0 ? after.digest : null;
  const patchFile = workspace.mode === "staged" ? join(run.folder, "changes.patch") : undefined;
  if (patchFile !== undefined) atomicWrite(patchFile, patch);
  const text = redact(patch.toString("utf8"), secrets).text;
  if (Buffer.byteLength(text) <= MAX_DIFF) return { diff: text, status, tree, patchFile };
  const { path } = run.artifacts.write("patch", "changes.patch", text);
  return { diff: `the diff is in ${path}\n`, status, tree, patchFile };
}

/** The last event of every trace. Also carries what the contract has no fields for. */
function endEvent(run: EndedRun, checked: WorkCheck, decided: DecidedOutcome): AgentEvent {
  const { exitCode, stopped, claimed, because, outcome } = decided;
  const { callsNotHeld } = run.guard;
  return newEvent({
    type: "run_completed",
    message: `run completed: ${outcome}`,
    ext: { stopped, claimed, verified: checked.verified, because, exit_code: exitCode, calls_not_held: callsNotHeld },
  });
}

/** The receipt of a run, without its hash. */
function draftReceipt(run: EndedRun, tree: FinalTree, facts: { outcome: Outcome; accepted: boolean }): Receipt {
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
    verification: { git_diff: tree.diff, git_status: tree.status, harness_ok: facts.accepted },
    outcome: facts.outcome,
    receipt_sha256: null,
  });
}

/** A host that died may have reported its usage in an event. */
function lastUsage(trace: readonly AgentEvent[]): Usage {
  const found = Usage.safeParse(trace.findLast(({ ext }) => ext?.["usage"] !== undefined)?.ext?.["usage"]);
  return found.success ? found.data : NO_USAGE;
}

interface SealParts {
  readonly version: string;
  readonly decided: DecidedOutcome;
  readonly checked: WorkCheck;
  readonly tree: string | null;
}

function sealFactsOf(run: EndedRun, { version, decided, checked, tree }: SealParts): SealFacts {
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
