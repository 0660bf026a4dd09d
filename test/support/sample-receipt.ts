import { randomUUID } from "node:crypto";
import { finalReceipt } from "../../src/receipts/seal/canonical-receipt.ts";
import { NO_USAGE, type Receipt } from "../../src/contract/receipt.ts";
import type { SealFacts } from "../../src/contract/seal.ts";

/** A small receipt in its final form. */
export function sampleReceipt(changes: Partial<Receipt> = {}, run: string = randomUUID()): Receipt {
  return finalReceipt({
    meta: {
      run_id: run,
      work_order_id: "11111111-2222-4333-8444-555555555555",
      contract_version: "abp/v0.1",
      started_at: "2026-01-01T00:00:00.000Z",
      finished_at: "2026-01-01T00:00:01.500Z",
      duration_ms: 1500,
    },
    backend: { id: "mock" },
    capabilities: { streaming: "native" },
    usage_raw: {},
    usage: NO_USAGE,
    trace: [
      { ts: "2026-01-01T00:00:00.000Z", type: "run_started", message: "go" },
      { ts: "2026-01-01T00:00:01.500Z", type: "run_completed", message: "done" },
    ],
    artifacts: [],
    verification: { harness_ok: true },
    outcome: "complete",
    ...changes,
  });
}

/** What a runtime would know about that run. */
export function sampleFacts(changes: Partial<SealFacts> = {}): SealFacts {
  return {
    agent: { name: "mock", version: null, binary_sha256: null },
    guard: {
      version: "0.1.0",
      policy_sha256: "ab".repeat(32),
      decisions: { allow: 1, ask: 0, deny: 0 },
      held: true,
      calls_not_held: [],
    },
    stopped: "answered",
    claimed: true,
    verified: "not_checked",
    acceptance: [],
    tree: null,
    artifacts_folder: null,
    artifacts: [],
    proof: null,
    audit_head: null,
    ...changes,
  };
}
