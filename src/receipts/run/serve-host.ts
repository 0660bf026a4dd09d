import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { AuditEntry } from "../../contract/verdict.ts";
import type { Capabilities } from "../../contract/capability.ts";
import { type HostEnvelope, LooseRuntimeEnvelope } from "../../contract/envelope.ts";
import { type BackendIdentity, CONTRACT_VERSION, type HostEnd, Receipt } from "../../contract/receipt.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import { LooseWorkOrder } from "../../contract/work-order.ts";
import type { JudgeExtras } from "../../guard/judge/judge.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import { describeIssue } from "../../lib/json/json-value.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { HostJob, OpenHost } from "../host.ts";
import { receiptHash } from "../seal/canonical-receipt.ts";
import { openOrderGuard } from "./order-guard.ts";
import { checkOrderEnvironment, readOrderPolicy } from "./read-order.ts";
import { openTraceCalls } from "./trace-calls.ts";

interface ServedHost {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly openHost: OpenHost;
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => void;
  /** Aborted when the caller has gone away. All runs are then cancelled, and no new ones are accepted. */
  readonly callerGone?: AbortSignal;
  /** A private folder for the host's files. */
  readonly folder: string;
  /** The rules in effect in a workspace. */
  readonly policyOf?: ((root: string) => Policy) | undefined;
  /** Creates the guard of one run. */
  readonly decider: (order: HostJob["order"], runId: string) => HostJob["decide"];
}

type Order = HostJob["order"];

/**
 * Serves one of our hosts as a sidecar. Sends `hello` immediately, runs orders one at a time, answers `cancel` and
 * `ping` during a run, and answers an invalid line with `fatal`. Returns when the input has ended and all runs are
 * done.
 */
export async function serveHost(served: ServedHost): Promise<void> {
  const { backend, capabilities, callerGone } = served;
  const say = (envelope: HostEnvelope) => served.write(`${JSON.stringify(envelope)}\n`);
  say({ t: "hello", contract_version: CONTRACT_VERSION, backend, capabilities, mode: "mapped" });
  const cancels = new Map<string, AbortController>();
  let queue = Promise.resolve();
  const leave = () => cancels.forEach((cancel) => cancel.abort(new Error("the caller went away")));
  callerGone?.addEventListener("abort", leave, { once: true });
  const take = (id: string, value: unknown) => {
    const order = LooseWorkOrder.safeParse(value);
    if (!order.success) {
      const why = order.error.issues.slice(0, 1).map(describeIssue).join("");
      return say({ t: "fatal", ref_id: id, error: `not a work order: ${why}` });
    }
    if (cancels.has(id)) return say({ t: "fatal", ref_id: id, error: "a run with this id already exists" });
    const cancel = new AbortController();
    cancels.set(id, cancel);
    queue = queue.then(() => carryOut(id, order.data, served, cancel.signal));
  };
  try {
    for await (const line of decodeLines(served.input)) {
      if (callerGone?.aborted === true) break;
      const message = "fault" in line ? line : readLine(line.text);
      if ("fault" in message) say({ t: "fatal", ref_id: null, error: `invalid json: ${message.fault}` });
      else if (message.t === "ping") say({ t: "pong", seq: Math.trunc(message.seq) });
      else if (message.t === "cancel") cancels.get(message.ref_id)?.abort(new Error(message.reason ?? "cancelled"));
      else if (message.t === "run") take(message.id, message.work_order);
    }
  } catch (error) {
    if (callerGone?.aborted !== true) throw error;
  } finally {
    await queue;
  }
}

interface OrderRules {
  /** The policy that applies to a workspace. */
  readonly policyOf: (root: string) => Policy;
  readonly agent: string;
  readonly world: Machine & JudgeExtras;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

/** Creates a guard for each order, from the workspace's rules combined with the order's own. */
export function orderDecider({ policyOf, agent, world, append, redact }: OrderRules): ServedHost["decider"] {
  return (order, session) => {
    const root = resolve(order.workspace.root);
    const [policy, rules] = [policyOf(root), readOrderPolicy(order)];
    return openOrderGuard({ policy, order: rules, root, session, agent, world, append, redact }).decide;
  };
}

type InputMessage = LooseRuntimeEnvelope | { readonly t: "unknown" } | { readonly fault: string };

function readLine(text: string): InputMessage {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    return { fault: messageOf(error) };
  }
  const parsed = LooseRuntimeEnvelope.safeParse(value);
  return parsed.success ? parsed.data : { t: "unknown" };
}

/** Runs one order. Whatever goes wrong, sends exactly one `final` or `fatal`. */
async function carryOut(runId: string, order: Order, served: ServedHost, signal: AbortSignal): Promise<void> {
  const say = (envelope: HostEnvelope) => served.write(`${JSON.stringify(envelope)}\n`);
  // Processes are found and ended by this id. The peer's id can be any text, even one that other runs use.
  const ownId = randomUUID();
  const started = new Date();
  const trace: AgentEvent[] = [];
  const tell = (event: AgentEvent) => {
    trace.push(event);
    say({ t: "event", ref_id: runId, event });
  };
  try {
    checkOrderEnvironment(order.config.env);
    tell(newEvent({ type: "run_started", message: `${served.backend.id}: ${order.task}` }));
    await using host = await served.openHost({
      runId: ownId,
      root: order.workspace.root,
      folder: served.folder,
      env: order.config.env,
      signal,
      policy: served.policyOf?.(resolve(order.workspace.root)),
    });
    const calls = openTraceCalls();
    const judge = served.decider(order, runId);
    const decide: HostJob["decide"] = (call, containment) => {
      const decision = judge(call, containment);
      calls.judged(call, decision);
      return decision;
    };
    const events = host.run({ runId: ownId, order, signal, decide, judge, answered: calls.judged });
    let next = await events.next();
    for (; next.done !== true; next = await events.next()) calls.see(next.value).forEach(tell);
    calls.finish().forEach(tell);
    tell(newEvent({ type: "run_completed", message: `run completed: ${next.value.outcome}` }));
    say({ t: "final", ref_id: runId, receipt: hostReceipt(next.value, { runId, order, served, trace, started }) });
  } catch (error) {
    say({ t: "fatal", ref_id: runId, error: messageOf(error) });
  }
}

interface ServedRun {
  readonly runId: string;
  readonly order: Order;
  readonly served: ServedHost;
  readonly trace: readonly AgentEvent[];
  readonly started: Date;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The host's own receipt. The one that counts is made by the runtime. */
function hostReceipt(end: HostEnd, { runId, order, served, trace, started }: ServedRun): Receipt {
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
    backend: served.backend,
    capabilities: served.capabilities,
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
