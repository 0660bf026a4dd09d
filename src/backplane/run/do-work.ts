import { dollars } from "../../lib/dollars.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities, Requirement, SupportLevel } from "../../contract/capability.ts";
import type { ErrorCode } from "../../contract/error-code.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import type { Decision } from "../../contract/verdict.ts";
import { explainToModel } from "../../guard/explain.ts";
import { redact, redactJson } from "../../guard/redact/redact.ts";
import { messageOf } from "../../lib/message-of.ts";
import { isUserError } from "../../lib/user-error.ts";
import { openRecovery } from "../../snapshots/recovery.ts";
import { type HostJob, ProtocolError } from "../host.ts";
import { type OpenedWorkspace, openWorkspace } from "../workspace/open-workspace.ts";
import type { Snapshot } from "../../snapshots/snapshot.ts";
import { recordCheckBase } from "./acceptance.ts";
import { type Approvals, openApprovals } from "./approvals.ts";
import { callKey } from "./call-ledger.ts";
import { drainHost } from "./drain-host.ts";
import type { StopCause } from "./limits.ts";
import { keepEvent, type OpenRun, type WorkedRun } from "./open-run.ts";
import { openOrderGuard, type OrderGuard } from "./order-guard.ts";
import { pathFilter } from "./read-order.ts";
import type { RunLimits, RunParts, RunStep } from "./run-parts.ts";
import { openTraceCalls, type TraceCalls } from "./trace-calls.ts";

/** The current state of the run, and the next step to show, if any. */
interface WorkStep {
  readonly run: WorkedRun;
  readonly step?: RunStep;
}

interface PlacedRun extends WorkedRun {
  readonly workspace: OpenedWorkspace;
}

interface GuardedRun extends PlacedRun {
  readonly guard: OrderGuard;
  readonly calls: TraceCalls;
}

/**
 * Does everything from opening the workspace to the end of the host. A failure becomes the stop reason and is not
 * thrown.
 */
export async function* doWork(opened: OpenRun, parts: RunParts): AsyncGenerator<WorkStep> {
  let run: WorkedRun = opened;
  const keep = (event: AgentEvent): WorkStep => ({ run, step: keepEvent(run, event) });
  const { agent, run_id } = run.header;
  yield keep(newEvent({ type: "run_started", message: `${agent}: ${run.order.task}`, ext: { run_id } }));
  using _interruptions = watchInterruptions(opened, parts.signal);
  try {
    const placed = await enterWorkspace(opened, parts);
    run = placed;
    for (const message of placed.workspace.warnings) yield keep(newEvent({ type: "warning", message }));
    for await (const worked of workWithHost(openGuard(placed, parts), parts)) {
      ({ run } = worked);
      yield worked;
    }
  } catch (error) {
    opened.stops.stop(stopFor(error));
    const message = opened.stops.reason()?.because ?? "";
    yield keep(newEvent({ type: "error", message, error_code: failureCode(run, error) }));
  } finally {
    await parts.processes.endRun(run.header.run_id);
  }
}

/** Opens the run's workspace and logs it. */
async function enterWorkspace(run: OpenRun, parts: RunParts): Promise<PlacedRun> {
  const { include, exclude, mode } = run.order.workspace;
  const wanted = pathFilter(include, exclude);
  const opened = await openWorkspace({ mode, source: run.header.root, folder: run.log.folder, wanted });
  const { workspace } = opened;
  run.log.append({ t: "workspace", ...workspace, before: plain(workspace.before), base: plain(workspace.base) });
  const checkBase = await recordCheckBase(run, workspace.root, parts);
  const warnings = [...opened.warnings, ...(checkBase?.warnings ?? [])];
  return { ...run, workspace: { ...opened, warnings }, checkBase };
}

const plain = (snapshot: Snapshot | null) => (snapshot === null ? null : { ...snapshot, parts: [...snapshot.parts] });

/** Opens the run's guard. Decisions are logged before they take effect. */
function openGuard(run: PlacedRun, parts: RunParts): GuardedRun {
  const guard = openOrderGuard({
    policy: parts.policy,
    order: run.rules,
    root: run.workspace.workspace.root,
    session: run.header.run_id,
    agent: run.header.agent,
    world: parts.world,
    append: (entry) => run.audit.append(entry),
    redact: (text) => redact(text, parts.secrets).text,
  });
  run.log.append({ t: "policy", policy_sha256: guard.policyHash });
  const decide: OrderGuard["decide"] = (call, containment) => {
    const decision = guard.decide(call, containment);
    run.log.append({ t: "decision", verdict: decision.verdict, call: callKey(call), tool: call.tool });
    return decision;
  };
  const approve: OrderGuard["approve"] = async (call, containment, answer) => {
    const decision = await guard.approve(call, containment, answer);
    run.log.append({ t: "decision", verdict: decision.verdict, call: callKey(call), tool: call.tool });
    return decision;
  };
  return { ...run, guard: { ...guard, decide, approve }, calls: openTraceCalls() };
}

type Questions = Pick<HostJob, "decide" | "judge" | "answered" | "approve">;

/** What a host may ask. Every judged call is logged, so that the receipt of a killed run has it too. */
function questionsOf({ guard, calls, log, secrets }: GuardedRun, ask: Approvals["ask"]): Questions {
  const record: HostJob["answered"] = ({ tool, input = null, id }, { verdict, because }) => {
    const told = {
      tool,
      input: redactJson(input, secrets) ?? null,
      id,
      verdict,
      because: redact(because, secrets).text,
    };
    log.append({ t: "judged", ...told });
    calls.judged({ tool, input, id }, { verdict, because });
  };
  return {
    judge: guard.decide,
    decide(call, containment) {
      const decision = inWords(guard.decide(call, containment));
      record(call, decision);
      return decision;
    },
    answered(call, answer) {
      guard.answered(call, answer.verdict);
      record(call, answer);
    },
    approve:
      ask &&
      (async (call, containment) => {
        const decision = inWords(await guard.approve(call, containment, ({ because }) => ask(call, because)));
        record(call, decision);
        return decision;
      }),
  };
}

/** A decision that says what was blocked, and not only why: the host passes it on to its agent. */
const inWords = (decision: Decision): Decision =>
  decision.verdict === "allow" ? decision : { ...decision, because: explainToModel(decision) };

async function* workWithHost(placed: GuardedRun, parts: RunParts): AsyncGenerator<WorkStep> {
  const { order, log, stops, header } = placed;
  const { root } = placed.workspace.workspace;
  const { signal } = stops;
  const runId = header.run_id;
  const policy = { ...parts.policy, workspaceRoot: root };
  const place = { runId, root, source: header.root, folder: log.folder, env: order.config.env, signal, policy };
  await using host = await parts.openHost(place);
  const { backend, capabilities, agent, holds } = host;
  const run = { ...placed, host };
  yield { run };
  log.append({ t: "host", backend, capabilities, agent, holds });
  const unmet = unmetRequirements(order.requirements.required, capabilities);
  if (unmet !== undefined) throw new UnmetRequirements(unmet);

  const work = { ...order, workspace: { ...order.workspace, root } };
  const recovery = await recoveryOf(placed.workspace, signal);
  const { ask, take } = openApprovals({ runId, root, signal }, parts.onApproval);
  const source = host.run({ runId, order: work, signal, recovery, ...questionsOf(placed, ask) });
  using drain = drainHost(source, parts.limits, stops);
  const { calls } = placed;
  let end: HostEnd | undefined;
  try {
    let next = await drain.events.next();
    for (; next.done !== true; next = await drain.events.next()) {
      // The runtime adds these two events itself.
      if (next.value.type === "run_started" || next.value.type === "run_completed") continue;
      for (const answer of take()) yield { run, step: keepEvent(run, answer) };
      for (const event of calls.see(next.value)) yield { run, step: keepEvent(run, event) };
    }
    end = next.value;
    for (const event of calls.finish()) yield { run, step: keepEvent(run, event) };
  } finally {
    // After an error, or when the caller leaves, these are recorded all the same.
    for (const event of calls.finish()) keepEvent(run, event);
  }
  const ended: WorkedRun = end === undefined ? run : { ...run, end };
  const limit = limitInTheEnd(end, parts.limits);
  if (limit !== undefined) stops.stop(limit);
  yield { run: ended };
  const stop = stops.reason();
  if (stop === undefined) return;
  const error = newEvent({ type: "error", message: stop.because, error_code: stopCode(stop, end) });
  yield { run: ended, step: keepEvent(ended, error) };
}

/** In a staged copy nothing of the user's can be lost. */
async function recoveryOf({ workspace, store }: OpenedWorkspace, signal: AbortSignal): Promise<HostJob["recovery"]> {
  const { mode, root, before } = workspace;
  if (mode === "staged") return { recoverable: () => true, began: () => {}, ended: () => {} };
  if (before === null || store === undefined) return undefined;
  const snapshot = { state: "taken", store, snapshot: before, skipped: [], modes: {} } as const;
  return await openRecovery({ workspace: root, snapshot, signal }).catch(() => undefined);
}

/** Some agents report their usage only at the end. */
function limitInTheEnd(end: HostEnd | undefined, limits: RunLimits): StopCause | undefined {
  if (end?.stopped === "limit") return { stopped: "limit", because: "the agent reached its own limit" };
  const cost = end?.usage.estimated_cost_usd ?? 0;
  if (limits.maxBudgetUsd === null || cost <= limits.maxBudgetUsd) return undefined;
  return {
    stopped: "limit",
    because: `it cost ${dollars(cost)}, more than the limit of ${dollars(limits.maxBudgetUsd)}`,
  };
}

const POLL_MS = 200;

/** Watches for the user's Ctrl-C and for `signalbox cancel` from another process. */
function watchInterruptions({ stops, log }: OpenRun, signal: AbortSignal): Disposable {
  const interrupt = (because: string) => stops.stop({ stopped: "interrupted", because });
  const onAbort = () => interrupt("interrupted");
  const poll = setInterval(() => {
    const reason = log.cancelled();
    if (reason !== undefined) interrupt(reason === "" ? "cancelled" : `cancelled: ${reason}`);
  }, POLL_MS);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort);
  return {
    [Symbol.dispose]() {
      clearInterval(poll);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** The stop reason for a thrown error. */
export function stopFor(error: unknown): StopCause {
  const because = messageOf(error);
  if (error instanceof ProtocolError) return { stopped: "crashed", because };
  return { stopped: "failed", because, ...(isUserError(error) ? { exitCode: error.exitCode, fix: error.fix } : {}) };
}

function failureCode(run: WorkedRun, error: unknown): ErrorCode {
  if (error instanceof UnmetRequirements) return "capability_unsupported";
  if (run.workspace === undefined) return "workspace_init_failed";
  if (error instanceof ProtocolError) return "protocol_handshake_failed";
  return run.host === undefined ? "sidecar_spawn_failed" : "internal";
}

function stopCode({ stopped }: StopCause, end: HostEnd | undefined): ErrorCode {
  if (stopped === "crashed") return end === undefined ? "backend_crashed" : "protocol_unexpected_message";
  return stopped === "limit" ? "backend_timeout" : "internal";
}

class UnmetRequirements extends Error {}

/** Describes every requirement that a host does not meet; undefined if it meets all. */
function unmetRequirements(required: readonly Requirement[], capabilities: Capabilities): string | undefined {
  const unmet = required.flatMap(({ capability, min_support }) => {
    const level = capabilities[capability];
    return meets(level, min_support) ? [] : [`${capability} (needs ${min_support}, has ${levelName(level)})`];
  });
  return unmet.length === 0 ? undefined : `the host does not meet: ${unmet.join(", ")}`;
}

/** A missing capability meets nothing. "unsupported" counts as missing. */
function meets(level: SupportLevel | undefined, needed: Requirement["min_support"]): boolean {
  if (level === undefined || level === "unsupported") return false;
  return needed === "native" ? level === "native" : true;
}

const levelName = (level: SupportLevel | undefined) =>
  level === undefined ? "nothing" : typeof level === "string" ? level : `restricted: ${level.restricted.reason}`;
