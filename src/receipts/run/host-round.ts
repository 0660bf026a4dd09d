import { type AgentEvent, type ErrorCode, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities, Requirement, SupportLevel } from "../../contract/capability.ts";
import { type HostEnd, NO_USAGE } from "../../contract/receipt.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { dollars } from "../../lib/text/printable.ts";
import { openRecovery } from "../../snapshots/recovery.ts";
import { type HostJob, ProtocolError } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { type CheckedRun, usedBefore, usedSoFar, type WorkStep } from "./checked-run.ts";
import type { StopCause, StopSwitch } from "./limits.ts";
import { keepEvent } from "./open-run.ts";
import { eventOfRun, type GuardedRun, openApprovals, questionsOf } from "./run-guard.ts";
import type { RunLimits, RunParts } from "./run-parts.ts";

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
  return await openRecovery(root, snapshot, { signal }).catch(() => undefined);
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

interface HostDrain extends Disposable {
  /** All events until the host ends or is cut off. Returns the host's end, or undefined if it was cut off. */
  readonly events: AsyncGenerator<AgentEvent, HostEnd | undefined>;
}

type Pull = { readonly pulled: IteratorResult<AgentEvent, HostEnd> } | "cut off";

const GONE: HostEnd = { outcome: "failed", mode: "mapped", usage: NO_USAGE, usageRaw: null };

/**
 * Reads a host's events under the time limits. Once the run is stopped, the host gets a grace period and is then cut
 * off.
 */
function drainHost(
  source: AsyncGenerator<AgentEvent, HostEnd>,
  limits: RunLimits & { readonly elapsedMs: number },
  { signal, stop, reason }: StopSwitch,
): HostDrain {
  // A single slot instead of `Promise.race`: racing against a promise that lives as long as the run would leak every
  // loser.
  let interrupt: ((pull: Pull) => void) | undefined;
  let over = false;
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(work, Math.min(ms, 2 ** 31 - 1));
    timers.add(timer);
    return timer;
  };
  const startGrace = (): void => {
    after(graceOf(reason(), limits), () => {
      over = true;
      interrupt?.("cut off");
    });
  };
  const pull = async (): Promise<Pull> => {
    const idle = after(limits.idleMs, () => stop({ stopped: "limit", because: `silent for ${limits.idleMs} ms` }));
    try {
      return await new Promise<Pull>((resolve, reject) => {
        interrupt = resolve;
        source.next().then((pulled) => resolve({ pulled }), reject);
      });
    } finally {
      clearTimeout(idle);
      timers.delete(idle);
    }
  };
  // Also needed when the consumer stops reading, because a leftover timer keeps the process alive.
  const release = () => {
    signal.removeEventListener("abort", startGrace);
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    // Lets the host release its resources. Not awaited, because the host may still be waiting for its agent.
    void source.return(GONE).catch(() => undefined);
  };
  async function* events(): AsyncGenerator<AgentEvent, HostEnd | undefined> {
    after(limits.wallMs - limits.elapsedMs, () => stop(tooLong(limits)));
    try {
      for (;;) {
        const next = await pull();
        if (next === "cut off") return undefined;
        if (next.pulled.done === true) return next.pulled.value;
        if (over) return undefined;
        yield next.pulled.value;
      }
    } catch (error) {
      if (reason() !== undefined) return undefined;
      if (!(error instanceof ProtocolError)) throw error;
      stop({ stopped: "crashed", because: error.message });
      return undefined;
    } finally {
      release();
    }
  }
  if (signal.aborted) startGrace();
  else signal.addEventListener("abort", startGrace);
  return { events: events(), [Symbol.dispose]: release };
}

/** A host that floods the run gets no grace period. */
const graceOf = (why: StopCause | undefined, { graceMs }: RunLimits) => (why?.stopped === "crashed" ? 0 : graceMs);

const tooLong = ({ wallMs }: RunLimits): StopCause => ({ stopped: "limit", because: `more than ${wallMs} ms` });

export class UnmetRequirements extends Error {}

/** Throws an error that names every requirement that a host does not meet. */
function demandCapabilities(required: readonly Requirement[], capabilities: Capabilities): void {
  const unmet = required.flatMap(({ capability, min_support }) => {
    const level = capabilities[capability];
    return meets(level, min_support) ? [] : [`${capability} (needs ${min_support}, has ${levelName(level)})`];
  });
  if (unmet.length > 0) throw new UnmetRequirements(`the host does not meet: ${unmet.join(", ")}`);
}

/** A missing capability meets nothing. "unsupported" counts as missing. */
function meets(level: SupportLevel | undefined, needed: Requirement["min_support"]): boolean {
  if (level === undefined || level === "unsupported") return false;
  return needed === "native" ? level === "native" : true;
}

const levelName = (level: SupportLevel | undefined) =>
  level === undefined ? "nothing" : typeof level === "string" ? level : `restricted: ${level.restricted.reason}`;
