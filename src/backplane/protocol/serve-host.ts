import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { AuditEntry } from "../../contract/audit-entry.ts";
import type { Capabilities } from "../../contract/capability.ts";
import { type HostEnvelope, LooseRuntimeEnvelope } from "../../contract/envelope.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import type { Machine } from "../../contract/machine.ts";
import { newEvent } from "../../contract/new-event.ts";
import type { Policy } from "../../contract/policy.ts";
import { type BackendIdentity, CONTRACT_VERSION, Receipt } from "../../contract/receipt.ts";
import { LooseWorkOrder } from "../../contract/work-order.ts";
import type { JudgeExtras } from "../../guard/judge/judge.ts";
import { decodeLines } from "../../lib/decode-lines.ts";
import { describeIssue } from "../../lib/describe-issue.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { HostJob, OpenHost } from "../host.ts";
import { receiptHash } from "../receipts/canonical-receipt.ts";
import { openOrderGuard } from "../run/order-guard.ts";
import { checkOrderEnvironment, readOrderPolicy } from "../run/read-order.ts";

interface ServeParts {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly openHost: OpenHost;
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => void;
  /** Aborted when the caller went away: every run is then cancelled, and no more are taken. */
  readonly unheard?: AbortSignal;
  /** A private folder for what the host puts down. */
  readonly folder: string;
  /** The guard of one run. */
  readonly decider: (order: HostJob["order"], runId: string) => HostJob["decide"];
}

type Order = HostJob["order"];

/**
 * Lets a host of ours be somebody's sidecar: hello at once, orders one after the other, cancel and ping answered while
 * one is carried out, a `fatal` for every line that makes no sense. Ends when the input has ended and all is done.
 */
export async function serveHost(parts: ServeParts): Promise<void> {
  const say = (envelope: HostEnvelope) => parts.write(`${JSON.stringify(envelope)}\n`);
  const { backend, capabilities } = parts;
  say({ t: "hello", contract_version: CONTRACT_VERSION, backend, capabilities, mode: "mapped" });
  const cancels = new Map<string, AbortController>();
  let queue = Promise.resolve();
  const leave = () => cancels.forEach((cancel) => cancel.abort(new Error("the caller went away")));
  parts.unheard?.addEventListener("abort", leave, { once: true });
  const take = (id: string, given: unknown) => {
    const order = LooseWorkOrder.safeParse(given);
    if (!order.success) {
      const why = order.error.issues.slice(0, 1).map(describeIssue).join("");
      return say({ t: "fatal", ref_id: id, error: `not a work order: ${why}` });
    }
    if (cancels.has(id)) return say({ t: "fatal", ref_id: id, error: "a run with this id already exists" });
    const cancel = new AbortController();
    cancels.set(id, cancel);
    queue = queue.then(() => carryOut(id, order.data, { ...parts, say, signal: cancel.signal }));
  };
  try {
    for await (const line of decodeLines(parts.input)) {
      if (parts.unheard?.aborted === true) break;
      const heard = "fault" in line ? line : readLine(line.text);
      if ("fault" in heard) say({ t: "fatal", ref_id: null, error: `invalid json: ${heard.fault}` });
      else if (heard.t === "ping") say({ t: "pong", seq: Math.trunc(heard.seq) });
      else if (heard.t === "cancel") cancels.get(heard.ref_id)?.abort(new Error(heard.reason ?? "cancelled"));
      else if (heard.t === "run") take(heard.id, heard.work_order);
    }
  } catch (error) {
    if (parts.unheard?.aborted !== true) throw error;
  } finally {
    await queue;
  }
}

interface DeciderParts {
  /** The policy that holds for a workspace. */
  readonly policyOf: (root: string) => Policy;
  readonly agent: string;
  readonly world: Machine & JudgeExtras;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

/** A guard for each order: the rules are those of its workspace, joined with its own. */
export function orderDecider({ policyOf, ...parts }: DeciderParts): ServeParts["decider"] {
  return (order, session) => {
    const root = resolve(order.workspace.root);
    return openOrderGuard({ ...parts, policy: policyOf(root), order: readOrderPolicy(order), root, session }).decide;
  };
}

type Heard = LooseRuntimeEnvelope | { readonly t: "unknown" } | { readonly fault: string };

function readLine(text: string): Heard {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    return { fault: messageOf(error) };
  }
  const parsed = LooseRuntimeEnvelope.safeParse(value);
  return parsed.success ? parsed.data : { t: "unknown" };
}

interface Turn extends ServeParts {
  readonly say: (envelope: HostEnvelope) => void;
  readonly signal: AbortSignal;
}

/** One run: whatever goes wrong, exactly one final word. */
async function carryOut(runId: string, order: Order, turn: Turn): Promise<void> {
  const { say, signal, folder } = turn;
  // Processes are found and ended by this id; the peer's own may be any text, also one that others carry too.
  const ownId = randomUUID();
  const started = new Date();
  const trace: AgentEvent[] = [];
  const tell = (event: AgentEvent) => {
    trace.push(event);
    say({ t: "event", ref_id: runId, event });
  };
  try {
    checkOrderEnvironment(order.config.env);
    tell(newEvent({ type: "run_started", message: `${turn.backend.id}: ${order.task}` }));
    await using host = await turn.openHost({
      runId: ownId,
      root: order.workspace.root,
      folder,
      env: order.config.env,
      signal,
    });
    const events = host.run({ runId: ownId, order, signal, decide: turn.decider(order, runId) });
    let next = await events.next();
    for (; next.done !== true; next = await events.next()) tell(next.value);
    tell(newEvent({ type: "run_completed", message: `run completed: ${next.value.outcome}` }));
    say({ t: "final", ref_id: runId, receipt: hostReceipt(next.value, { runId, order, turn, trace, started }) });
  } catch (error) {
    say({ t: "fatal", ref_id: runId, error: messageOf(error) });
  }
}

interface Told {
  readonly runId: string;
  readonly order: Order;
  readonly turn: ServeParts;
  readonly trace: readonly AgentEvent[];
  readonly started: Date;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a host says of its run. The runtime makes the receipt that counts. */
function hostReceipt(end: HostEnd, { runId, order, turn, trace, started }: Told): Receipt {
  const finished = new Date();
  const receipt = Receipt.parse({
    meta: {
      run_id: UUID.test(runId) ? runId : order.id,
      work_order_id: order.id,
      contract_version: CONTRACT_VERSION,
      started_at: started.toISOString(),
      finished_at: finished.toISOString(),
      duration_ms: Math.max(0, finished.getTime() - started.getTime()),
    },
    backend: turn.backend,
    capabilities: turn.capabilities,
    mode: end.mode,
    usage_raw: end.usageRaw,
    usage: end.usage,
    trace,
    artifacts: [],
    verification: { git_diff: null, git_status: null, harness_ok: end.outcome === "complete" },
    outcome: end.outcome,
    receipt_sha256: null,
  });
  return { ...receipt, receipt_sha256: receiptHash(receipt) };
}
