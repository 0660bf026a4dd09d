import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE } from "../../contract/host-end.ts";
import { CONTRACT_VERSION, type Outcome, Receipt } from "../../contract/receipt.ts";
import type { SealFacts } from "../../contract/seal.ts";
import type { RedactOptions } from "../../guard/redact/redact.ts";
import { finalReceipt } from "./canonical-receipt.ts";
import { storeReceipt } from "./store-receipt.ts";

/** What happened in work that consisted of several steps. */
export interface WorkSummary {
  readonly runId: string;
  /** The run that this one continues; its receipt has the same work order. */
  readonly workId: string;
  readonly agent: string;
  readonly version: string;
  /** The program that did the work instead of us. Its commands were not judged. */
  readonly engine?: { readonly name: string; readonly version: string; readonly sha256: string };
  readonly startedAt: string;
  readonly durationMs: number;
  readonly trace: readonly AgentEvent[];
  readonly outcome: Outcome;
  readonly because: string;
  readonly guard: Pick<SealFacts["guard"], "decisions" | "policy_sha256">;
  readonly containment: SealFacts["containment"];
  readonly auditHead: SealFacts["audit_head"];
}

/** Stores a sealed receipt for such work. Returns its hash. */
export function sealSummary(home: string, summary: WorkSummary, secrets: RedactOptions): string {
  const { runId, workId, version, startedAt, durationMs, outcome, because } = summary;
  const end = newEvent({ type: "run_completed", message: `run completed: ${outcome}`, ext: { because } });
  const receipt = finalReceipt(
    Receipt.parse({
      meta: {
        run_id: runId,
        work_order_id: workId,
        contract_version: CONTRACT_VERSION,
        started_at: startedAt,
        finished_at: new Date(Date.parse(startedAt) + durationMs).toISOString(),
        duration_ms: durationMs,
      },
      backend: { id: summary.agent, backend_version: version, adapter_version: null },
      capabilities: {},
      mode: "mapped",
      usage_raw: null,
      usage: NO_USAGE,
      trace: [...summary.trace, end],
      artifacts: [],
      verification: { git_diff: null, git_status: null, harness_ok: outcome === "complete" },
      outcome,
      receipt_sha256: null,
    }),
    secrets,
  );
  return storeReceipt(home, { receipt, facts: factsOf(summary), now: () => new Date() }).hash;
}

function factsOf({ agent, version, engine, guard, outcome, containment, auditHead }: WorkSummary): SealFacts {
  return {
    agent: {
      name: engine?.name ?? agent,
      version: engine?.version ?? version,
      binary_sha256: engine?.sha256 ?? null,
    },
    guard: { version, ...guard, held: engine === undefined, calls_not_held: [] },
    stopped: outcome === "complete" ? "answered" : "failed",
    claimed: outcome === "complete",
    verified: "not_checked",
    acceptance: [],
    tree: null,
    artifacts_folder: null,
    artifacts: [],
    proof: null,
    ...(containment === undefined ? {} : { containment }),
    audit_head: auditHead,
  };
}
