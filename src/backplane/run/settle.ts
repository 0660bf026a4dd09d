import { join } from "node:path";
import type { AgentEvent } from "../../contract/agent-event.ts";
import { type BackendIdentity, CONTRACT_VERSION, type Outcome, Receipt, Usage } from "../../contract/receipt.ts";
import type { Capabilities } from "../../contract/capability.ts";
import type { SealFacts } from "../../contract/seal.ts";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { redact } from "../../guard/redact/redact.ts";
import type { AgentIdentity } from "../host.ts";
import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import { newEvent } from "../../contract/new-event.ts";
import { compareSnapshots } from "../workspace/changes.ts";
import { openSnapshots, type Snapshot, type SnapshotStore } from "../workspace/snapshot.ts";
import type { Workspace } from "../workspace/open-workspace.ts";
import type { Verdict } from "./acceptance.ts";
import type { ArtifactStore } from "./artifacts.ts";
import type { Conclusion } from "./conclude.ts";
import type { GuardTally } from "./call-ledger.ts";
import type { RunSetting } from "./run-parts.ts";
import type { RunHeader } from "./run-record.ts";

/** Everything that is known when nothing more will happen in a run, whether it ended or was killed. */
export interface FinishedRun {
  readonly header: RunHeader;
  readonly folder: string;
  readonly durationMs: number;
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly agent: AgentIdentity;
  readonly holds: boolean;
  readonly trace: readonly AgentEvent[];
  readonly end: HostEnd | undefined;
  readonly guard: GuardTally & { readonly policyHash: string | null };
  readonly auditHead: SealFacts["audit_head"];
  readonly artifacts: ArtifactStore;
  readonly workspace: Workspace | undefined;
  readonly store: SnapshotStore | undefined;
}

const MAX_DIFF = 256 * 1024;

export interface FinalTree {
  readonly diff: string | null;
  readonly status: string | null;
  readonly tree: string | null;
  readonly patchFile: string | undefined;
}

/** What the work changed. The patch of a staged run is kept beside it, to be brought back. */
export async function finalTree(run: FinishedRun, { secrets }: Pick<RunSetting, "secrets">): Promise<FinalTree> {
  const { workspace } = run;
  if (workspace?.before === undefined || workspace.before === null)
    return { diff: null, status: null, tree: null, patchFile: undefined };
  const store = run.store ?? openSnapshots(workspace.root, workspace.snapshots, workspace.before);
  const after: Snapshot = await store.take();
  const { patch, status } = await compareSnapshots(store, workspace.before, after);
  const patchFile = workspace.mode === "staged" ? join(run.folder, "changes.patch") : undefined;
  if (patchFile !== undefined) atomicWrite(patchFile, patch);
  const text = redact(patch.toString("utf8"), secrets).text;
  if (Buffer.byteLength(text) <= MAX_DIFF) return { diff: text, status, tree: after.digest, patchFile };
  const { path } = run.artifacts.write("patch", "changes.patch", text);
  return { diff: `the diff is in ${path}\n`, status, tree: after.digest, patchFile };
}

/** The event that ends every trace. It also says what the contract has no words for. */
export function closingEvent(run: FinishedRun, verdict: Verdict, conclusion: Conclusion): AgentEvent {
  const { exitCode, stopped, claimed, because, outcome } = conclusion;
  const { callsNotHeld } = run.guard;
  return newEvent({
    type: "run_completed",
    message: `run completed: ${outcome}`,
    ext: { stopped, claimed, verified: verdict.verified, because, exit_code: exitCode, calls_not_held: callsNotHeld },
  });
}

/** The receipt of a run, its hash still open. */
export function makeReceipt(
  run: FinishedRun,
  tree: FinalTree,
  facts: { outcome: Outcome; accepted: boolean },
): Receipt {
  const { header, end, durationMs } = run;
  return Receipt.parse({
    meta: {
      run_id: header.run_id,
      work_order_id: header.work_order_id,
      contract_version: CONTRACT_VERSION,
      started_at: header.started_at,
      // Not a second look at the clock: it may have jumped.
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

/** A host that died may have said on its way what it used. */
function lastUsage(trace: readonly AgentEvent[]): Usage {
  const found = Usage.safeParse(trace.findLast(({ ext }) => ext?.["usage"] !== undefined)?.ext?.["usage"]);
  return found.success ? found.data : NO_USAGE;
}

interface SealParts {
  readonly version: string;
  readonly conclusion: Conclusion;
  readonly verdict: Verdict;
  readonly tree: string | null;
}

export function sealFacts(run: FinishedRun, { version, conclusion, verdict, tree }: SealParts): SealFacts {
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
    stopped: conclusion.stopped,
    claimed: conclusion.claimed,
    verified: verdict.verified,
    acceptance: [...verdict.acceptance],
    tree,
    artifacts_folder: run.artifacts.written.length === 0 ? null : header.root,
    artifacts: run.artifacts.written.map(({ path, sha256, size }) => ({ path, sha256, size })),
    proof: null,
    audit_head: run.auditHead,
  };
}
