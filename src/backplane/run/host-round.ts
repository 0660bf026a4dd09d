import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { ErrorCode } from "../../contract/error-code.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { dollars } from "../../lib/dollars.ts";
import { openRecovery } from "../../snapshots/recovery.ts";
import type { HostJob } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { usedBefore, usedSoFar } from "./all-rounds.ts";
import { openApprovals } from "./approvals.ts";
import type { CheckedRun, WorkStep } from "./checked-run.ts";
import { drainHost } from "./drain-host.ts";
import type { StopCause } from "./limits.ts";
import { keepEvent } from "./open-run.ts";
import { eventOfRun } from "./round-events.ts";
import { type GuardedRun, questionsOf } from "./run-guard.ts";
import type { RunLimits, RunParts } from "./run-parts.ts";
import { demandCapabilities } from "./unmet-requirements.ts";

/** What the host gets in this round. */
export interface RoundJob {
  readonly order: WorkOrder;
  readonly followUp?: HostJob["followUp"];
}

/** Lets the host work once, until it ends or is stopped. */
export async function* workWithHost(
  guarded: GuardedRun,
  { order, followUp }: RoundJob,
  parts: RunParts,
): AsyncGenerator<WorkStep<GuardedRun>> {
  const { log, stops, header, calls } = guarded;
  const { root } = guarded.workspace.workspace;
  const { signal } = stops;
  const runId = header.run_id;
  const policy = { ...parts.policy, workspaceRoot: root };
  const place = { runId, root, source: header.root, folder: log.folder, env: order.config.env, signal, policy };
  await using host = await parts.openHost(place);
  const { backend, capabilities, agent, holds } = host;
  const run = { ...guarded, host };
  yield { run };
  log.append({ t: "host", backend, capabilities, agent, holds });
  demandCapabilities(order.requirements.required, capabilities);

  const work = { ...order, workspace: { ...order.workspace, root } };
  const recovery = await recoveryOf(guarded.workspace, signal);
  const { ask, take } = openApprovals({ runId, root, signal }, parts.onApproval);
  const source = host.run({ runId, order: work, signal, recovery, followUp, ...questionsOf(guarded, ask) });
  const elapsedMs = followUp === undefined ? 0 : run.elapsedMs();
  using drain = drainHost(source, { ...parts.limits, elapsedMs }, stops);
  const before = { round: run.round, turns: run.watch.progress().turns, used: usedBefore(run) };
  let end: HostEnd | undefined;
  try {
    let next = await drain.events.next();
    for (; next.done !== true; next = await drain.events.next()) {
      // The runtime adds these two events itself.
      if (next.value.type === "run_started" || next.value.type === "run_completed") continue;
      for (const answer of take()) yield { run, step: keepEvent(run, answer) };
      for (const event of calls.see(eventOfRun(next.value, before))) yield { run, step: keepEvent(run, event) };
    }
    end = next.value;
    for (const event of calls.finish()) yield { run, step: keepEvent(run, event) };
  } finally {
    // After an error, or when the caller leaves, these are recorded all the same.
    for (const event of calls.finish()) keepEvent(run, event);
  }
  yield* finish(end === undefined ? run : { ...run, end }, parts.limits);
}

/** Says why the host was stopped, if it was, or is now that its usage is known. */
function* finish(run: GuardedRun, limits: RunLimits): Generator<WorkStep<GuardedRun>> {
  const own = stopInTheEnd(run, limits);
  if (own !== undefined) run.stops.stop(own);
  yield { run };
  const stop = run.stops.reason();
  if (stop !== undefined) yield { run, step: keepEvent(run, stopEvent(stop, run.end)) };
}

/** The event for a run that was stopped. */
export const stopEvent = (stop: StopCause, end: HostEnd | undefined): AgentEvent =>
  newEvent({ type: "error", message: stop.because, error_code: stopCode(stop, end) });

function stopCode({ stopped }: StopCause, end: HostEnd | undefined): ErrorCode {
  if (stopped === "crashed") return end === undefined ? "backend_crashed" : "protocol_unexpected_message";
  return stopped === "limit" ? "backend_timeout" : "internal";
}

/** In a staged copy nothing of the user's can be lost. */
async function recoveryOf({ workspace, store }: OpenedWorkspace, signal: AbortSignal): Promise<HostJob["recovery"]> {
  const { mode, root, before } = workspace;
  if (mode === "staged") return { recoverable: () => true, began: () => {}, ended: () => {} };
  if (before === null || store === undefined) return undefined;
  const snapshot = { state: "taken", store, snapshot: before, skipped: [], modes: {} } as const;
  return await openRecovery({ workspace: root, snapshot, signal }).catch(() => undefined);
}

/** Why an agent says that it was stopped within itself. */
function ownStop({ stopped, because }: Partial<HostEnd> = {}): StopCause | undefined {
  switch (stopped) {
    case undefined:
      return undefined;
    case "blocked":
      return { stopped: "failed", because: because ?? "the agent's gates gave up", exitCode: RUN_EXIT.blocked };
    case "no_progress":
      return { stopped, because: because ?? "the agent went in circles" };
    case "limit":
      return { stopped, because: because ?? "the agent reached its own limit" };
  }
}

/** Some agents report their usage only at the end. */
function stopInTheEnd(run: CheckedRun, limits: RunLimits): StopCause | undefined {
  const { end } = run;
  const own = ownStop(end);
  if (own !== undefined) return own;
  const cost = usedSoFar(run).estimated_cost_usd ?? 0;
  return limits.maxBudgetUsd === null || cost <= limits.maxBudgetUsd
    ? undefined
    : tooExpensive(cost, limits.maxBudgetUsd);
}

const tooExpensive = (cost: number, most: number): StopCause => ({
  stopped: "limit",
  because: `it cost ${dollars(cost)}, more than the limit of ${dollars(most)}`,
});
