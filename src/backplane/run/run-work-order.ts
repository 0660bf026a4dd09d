import type { AgentEvent } from "../../contract/agent-event.ts";
import type { ErrorCode } from "../../contract/error-code.ts";
import { diskError } from "../../lib/disk-error.ts";
import { messageOf } from "../../lib/message-of.ts";
import { isUserError, UserError } from "../../lib/user-error.ts";
import { newEvent } from "../../contract/new-event.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { openWorkspace, workspaceRoot } from "../workspace/open-workspace.ts";
import { type ActiveRun, keepEvent, openActiveRun, openRunGuard } from "./active-run.ts";
import { unmetRequirements } from "./capability-check.ts";
import { finishRun } from "./finish-run.ts";
import type { Stop } from "./limits.ts";
import { type Pump, pump } from "./pump.ts";
import { checkOrderEnvironment } from "./order-environment.ts";
import { readOrderPolicy } from "./order-policy.ts";
import { readWorkOrder } from "./read-order.ts";
import { refuseSecondRun } from "./run-lock.ts";
import type { RunParts, RunStep } from "./run-parts.ts";

/**
 * Carries out a work order and ends with a sealed receipt, whatever the host does. Throws a UserError for an order
 * that cannot begin; once `run-start` was shown there will be a receipt. Breaking off the loop interrupts the run.
 */
export async function* runWorkOrder(given: unknown, parts: RunParts): AsyncGenerator<RunStep> {
  const order = readWorkOrder(given);
  readOrderPolicy(order);
  checkOrderEnvironment(order.config.env);
  const source = workspaceRoot(order, parts.cwd);
  const run = await refuseSecondRun(order, { source, setting: parts }, () => openActiveRun(order, source, parts));
  let whole = false;
  try {
    yield { type: "run-start", runId: run.header.run_id, root: source };
    yield* work(run, source, parts);
    whole = true;
  } catch (error) {
    run.stop = stopFor(error);
    whole = true;
  } finally {
    if (!whole) {
      run.stop ??= { stopped: "interrupted", because: "the caller broke the run off" };
      await finishOrAdvise(run, parts);
    }
  }
  const { events, end } = await finishOrAdvise(run, parts);
  for (const event of events) yield { type: "event", event, progress: run.watch.progress() };
  yield end;
}

/** Nothing is lost on a full disk: what was written down becomes a receipt as soon as there is room. */
async function finishOrAdvise(run: ActiveRun, parts: RunParts) {
  try {
    // A receipt may still fit where a line of the log did not; it would leave out what that line says.
    const refusal = run.log.refusal();
    if (diskError(refusal) !== undefined) throw refusal;
    return await finishRun(run, parts);
  } catch (error) {
    const full = isUserError(error) ? diskError(error.cause, error.where) : diskError(error, run.log.folder);
    if (full === undefined) throw error;
    const { message, where = run.log.folder, fix, exitCode } = full;
    const then = "then: signalbox runs, which stores a receipt of what was seen";
    throw new UserError(message, { where, fix: `${fix}, ${then}`, exitCode, cause: error });
  }
}

/** Everything from the workspace to the end of the host. A failure becomes the reason for the end, never a throw. */
async function* work(run: ActiveRun, source: string, parts: RunParts): AsyncGenerator<RunStep> {
  const keep = (event: AgentEvent) => keepEvent(run, event, parts.secrets);
  yield keep(newEvent({ type: "run_started", message: `${run.header.agent}: ${run.order.task}` }));
  const cancel = new AbortController();
  using interruptions = watchInterruptions(run, parts, cancel);
  try {
    run.workspace = await openWorkspace(run.order, source, run.log.folder);
    const { workspace, warnings } = run.workspace;
    run.log.append({ t: "workspace", ...workspace, before: plain(workspace.before), base: plain(workspace.base) });
    for (const message of warnings) yield keep(newEvent({ type: "warning", message }));
    run.guard = openRunGuard(run, workspace.root, parts);
    yield* workWithHost(run, parts, { source, cancel, interruptions });
  } catch (error) {
    run.stop ??= stopFor(error);
    yield keep(newEvent({ type: "error", message: run.stop.because, error_code: codeFor(run, error) }));
  } finally {
    await parts.processes.endRun(run.header.run_id);
  }
}

type Snapshot = {
  readonly digest: string;
  readonly parts: readonly { readonly path: string; readonly tree: string }[];
};
const plain = (snapshot: Snapshot | null) => (snapshot === null ? null : { ...snapshot, parts: [...snapshot.parts] });

interface Interruptions extends Disposable {
  /** Where an interruption goes once there is a host to tell. */
  listener: Pump["stop"] | undefined;
}

interface HostTurn {
  readonly source: string;
  readonly cancel: AbortController;
  readonly interruptions: Interruptions;
}

async function* workWithHost(
  run: ActiveRun,
  parts: RunParts,
  { source: named, cancel, interruptions }: HostTurn,
): AsyncGenerator<RunStep> {
  const { order, log, guard, workspace } = run;
  if (guard === undefined || workspace === undefined) throw new Error("a host needs a workspace and a guard");
  const { root } = workspace.workspace;
  const runId = run.header.run_id;
  await using host = await parts.openHost({
    runId,
    root,
    source: named,
    folder: log.folder,
    env: order.config.env,
    signal: cancel.signal,
  });
  const { backend, capabilities, agent, holds } = host;
  // By reference: some hosts know only while they run which agent they reached.
  run.host = host;
  log.append({ t: "host", backend, capabilities, agent, holds });
  const unmet = unmetRequirements(order.requirements.required, capabilities);
  if (unmet !== undefined) throw new UnmetRequirements(unmet);

  const job = {
    runId,
    order: { ...order, workspace: { ...order.workspace, root } },
    signal: cancel.signal,
    decide: guard.decide,
  };
  using source = pump(host.run(job), parts.limits, cancel);
  interruptions.listener = source.stop;
  if (run.stop !== undefined) source.stop(run.stop);
  for (;;) {
    const next = await source.events.next();
    if (next.done === true) {
      if (next.value.end !== undefined) run.end = next.value.end;
      const stop = next.value.stop ?? limitInTheEnd(run, parts);
      if (stop !== undefined) run.stop ??= stop;
      break;
    }
    // The runtime opens and closes the trace itself.
    if (next.value.type !== "run_started" && next.value.type !== "run_completed")
      yield keepEvent(run, next.value, parts.secrets);
    if (run.stop !== undefined) source.stop(run.stop);
  }
  if (run.stop !== undefined)
    yield keepEvent(
      run,
      newEvent({ type: "error", message: run.stop.because, error_code: stopCode(run) }),
      parts.secrets,
    );
}

/** Some agents say what they used only when they are done. */
function limitInTheEnd({ end }: ActiveRun, { limits }: RunParts): Stop | undefined {
  if (end?.stopped === "limit") return { stopped: "limit", because: "the agent reached its own limit" };
  const cost = end?.usage.estimated_cost_usd ?? 0;
  if (limits.maxBudgetUsd === null || cost <= limits.maxBudgetUsd) return undefined;
  return { stopped: "limit", because: `${cost} USD used of ${limits.maxBudgetUsd}` };
}

class UnmetRequirements extends Error {}

const POLL_MS = 200;

/** Ctrl-C of the person, and `signalbox cancel` from elsewhere. */
function watchInterruptions(run: ActiveRun, parts: RunParts, cancel: AbortController): Interruptions {
  const interrupt = (because: string) => {
    run.stop ??= { stopped: "interrupted", because };
    if (watch.listener === undefined) cancel.abort(new Error(because));
    else watch.listener(run.stop);
  };
  const aborted = () => interrupt("interrupted");
  const poll = setInterval(() => {
    const reason = run.log.cancelled();
    if (reason !== undefined) interrupt(reason === "" ? "cancelled" : `cancelled: ${reason}`);
  }, POLL_MS);
  const watch: Interruptions = {
    listener: undefined,
    [Symbol.dispose]() {
      clearInterval(poll);
      parts.signal.removeEventListener("abort", aborted);
    },
  };
  if (parts.signal.aborted) aborted();
  else parts.signal.addEventListener("abort", aborted);
  return watch;
}

function stopFor(error: unknown) {
  const because = messageOf(error);
  if (error instanceof ProtocolError) return { stopped: "crashed", because } as const;
  return { stopped: "failed", because, ...(isUserError(error) ? { exitCode: error.exitCode } : {}) } as const;
}

function codeFor(run: ActiveRun, error: unknown): ErrorCode {
  if (error instanceof UnmetRequirements) return "capability_unsupported";
  if (run.workspace === undefined) return "workspace_init_failed";
  if (error instanceof ProtocolError) return "protocol_handshake_failed";
  return run.host === undefined ? "sidecar_spawn_failed" : "internal";
}

function stopCode({ stop, end }: ActiveRun): ErrorCode {
  if (stop?.stopped === "crashed") return end === undefined ? "backend_crashed" : "protocol_unexpected_message";
  return stop?.stopped === "limit" ? "backend_timeout" : "internal";
}
