import { type AgentEvent, type ErrorCode, newEvent } from "../../contract/agent-event.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { auditHead } from "../../guard/audit/write-audit.ts";
import { redact } from "../../guard/redact.ts";
import { diskError, isUserError, messageOf, UserError } from "../../lib/text/user-error.ts";
import { compareSnapshots } from "../../snapshots/changes.ts";
import type { Snapshot } from "../../snapshots/snapshot.ts";
import { keptChecks, NOT_CHECKED, type WorkCheck } from "../acceptance/accept-work.ts";
import { ProtocolError } from "../host.ts";
import { takeArtifacts } from "../workspace/artifacts.ts";
import { type OpenedWorkspace, openWorkspace, workspaceRoot } from "../workspace/open-workspace.ts";
import { watchCommit } from "../commit-watch.ts";
import { buildReceipt, decideOutcome, type EndedRun, sealRun, unknownHost } from "./build-receipt.ts";
import { checkWork, type FailedRound, factsOf, followUpOf, recordCheckBase } from "./check-work.ts";
import { type RoundJob, stopEvent, UnmetRequirements, workWithHost } from "./host-round.ts";
import { refuseSecondRun } from "./known-runs.ts";
import type { StopCause } from "./limits.ts";
import {
  beginRun,
  joinContainment,
  keepEvent,
  type OpenRun,
  roundNumber,
  usedSoFar,
  wholeCheck,
  wholeEnd,
} from "./open-run.ts";
import { callKey, NO_COUNTS, openOrderGuard, type OrderGuard } from "./order-guard.ts";
import { checkOrderEnvironment, pathFilter, readOrderPolicy, readWorkOrder } from "./read-order.ts";
import type { RunEnd, RunSetup, RunStep } from "./run-setup.ts";

const BROKEN_OFF: StopCause = { stopped: "interrupted", because: "the caller canceled the run" };

/**
 * Runs a work order and ends with a sealed receipt, whatever the host does. Throws a UserError if the order cannot
 * begin; once `run-start` has been yielded, there will be a receipt. Leaving the loop early interrupts the run.
 */
export async function* runWorkOrder(value: unknown, setup: RunSetup): AsyncGenerator<RunStep> {
  const run = await openOrder(value, setup);
  let brokenOff = true;
  let failure: StopCause | undefined;
  try {
    yield { type: "run-start", runId: run.header.run_id, root: run.header.root };
    yield* work(run);
    brokenOff = false;
  } catch (error) {
    failure = stopFor(error);
    brokenOff = false;
  } finally {
    if (brokenOff) await endOrAdvise(run, run.stops.reason() ?? BROKEN_OFF);
  }
  const { events, end } = await endOrAdvise(run, failure ?? run.stops.reason());
  for (const event of events) yield { type: "event", event, progress: run.watch.progress() };
  yield end;
}

/** Parses the order and opens its run, unless another run is working in the same folder. */
async function openOrder(value: unknown, setup: RunSetup): Promise<OpenRun> {
  const order = readWorkOrder(value);
  const rules = readOrderPolicy(order);
  checkOrderEnvironment(order.config.env);
  const root = workspaceRoot(order, setup.cwd);
  return await refuseSecondRun(order, root, setup.home, () => beginRun(order, rules, root, setup));
}

/**
 * Does everything from opening the workspace to the last check. A failure becomes the stop reason and is not thrown.
 */
async function* work(run: OpenRun): AsyncGenerator<RunStep> {
  const { setup, stops, header } = run;
  const { agent, run_id } = header;
  yield keepEvent(run, newEvent({ type: "run_started", message: `${agent}: ${run.order.task}`, ext: { run_id } }));
  using _interruptions = watchInterruptions(run);
  try {
    const workspace = await enterWorkspace(run);
    for (const message of workspace.warnings) yield keepEvent(run, newEvent({ type: "warning", message }));
    const guard = openGuard(run, workspace.root);
    yield* workInRounds(run, workspace, guard);
  } catch (error) {
    stops.stop(stopFor(error));
    const message = stops.reason()?.because ?? "";
    yield keepEvent(run, newEvent({ type: "error", message, error_code: failureCode(run, error) }));
  } finally {
    await setup.processes.endRun(run_id);
  }
}

/** Opens the run's workspace and logs it. */
async function enterWorkspace(run: OpenRun): Promise<OpenedWorkspace> {
  const { include, exclude, mode } = run.order.workspace;
  const wanted = pathFilter(include, exclude);
  const opened = await openWorkspace({ mode, source: run.header.root, folder: run.log.folder, wanted });
  const { source, root, snapshots, before, base, warnings } = opened;
  run.log.append({ t: "workspace", mode, source, root, snapshots, before: plain(before), base: plain(base) });
  const checkBase = await recordCheckBase(run, root);
  const entered = { ...opened, warnings: [...warnings, ...(checkBase?.warnings ?? [])] };
  run.progress.checkBase = checkBase;
  if (mode === "pass_through") run.progress.commits = watchCommit(root);
  run.progress.workspace = entered;
  return entered;
}

const plain = (snapshot: Snapshot | null) => (snapshot === null ? null : { ...snapshot, parts: [...snapshot.parts] });

/** Opens the run's guard. Decisions are logged before they take effect. */
function openGuard(run: OpenRun, root: string): OrderGuard {
  const { setup, header, log, audit } = run;
  const guard = openOrderGuard({
    policy: setup.policy,
    order: run.rules,
    root,
    session: header.run_id,
    agent: header.agent,
    world: setup.world,
    append: (entry) => audit.append(entry),
    redact: (text) => redact(text, setup.secrets).text,
    onDecision: (call, verdict) => log.append({ t: "decision", verdict, call: callKey(call), tool: call.tool }),
  });
  log.append({ t: "policy", policy_sha256: guard.policyHash });
  run.progress.guard = guard;
  return guard;
}

/** Lets the agent work and checks the result, until it is accepted, the rounds are over, or the run is stopped. */
async function* workInRounds(run: OpenRun, workspace: OpenedWorkspace, guard: OrderGuard): AsyncGenerator<RunStep> {
  const { setup, stops } = run;
  const { rounds = 1 } = setup;
  let job: RoundJob = { order: run.order };
  for (let number = 1; ; number++) {
    const round = yield* workWithHost(run, workspace, guard, job);
    // Nothing of the agent's may still be running while its work is checked.
    await setup.processes.endRun(run.header.run_id);
    round.checked = await checkRound(run, workspace);
    const { because, verified } = round.checked;
    if (because === undefined || number >= rounds) return;
    yield keepEvent(run, notAccepted(run, because, verified));
    const stop = stops.reason() ?? spentLimit(run);
    if (stop !== undefined) {
      stops.stop(stop);
      yield keepEvent(run, stopEvent(stop, round.end));
      return;
    }
    job = await nextJob(run, workspace, because);
    run.watch.beginRound();
  }
}

/** Checks the result of a round. If the run is stopped meanwhile, the check says nothing. */
async function checkRound(run: OpenRun, workspace: OpenedWorkspace): Promise<WorkCheck> {
  const { setup, stops, header } = run;
  const checked = await checkWork(run, workspace);
  // A check may have left processes running.
  if (checked.verified !== "not_checked") await setup.processes.endRun(header.run_id);
  if (roundNumber(run) !== undefined)
    run.log.append({ t: "checked", acceptance: keptChecks(checked.acceptance, setup.secrets) });
  return stops.reason() === undefined ? checked : { ...NOT_CHECKED, acceptance: checked.acceptance };
}

/** One attempt, with what all have used so far, for the receipt of a run that is killed later. */
function notAccepted(run: OpenRun, because: string, verified: WorkCheck["verified"]): AgentEvent {
  const { rounds = 1 } = run.setup;
  const usage = usedSoFar(run);
  const isKnown = Object.values(usage).some((count) => count !== null);
  const ext = { rounds, verified, ...(isKnown ? { usage } : {}) };
  return newEvent({
    type: "warning",
    message: `round ${run.progress.rounds.length} of ${rounds} not accepted: ${because}`,
    ext,
  });
}

/** As far as it is known from events or from the ends of rounds. */
const spentUsd = (run: OpenRun): number =>
  Math.max(run.watch.progress().costUsd, usedSoFar(run).estimated_cost_usd ?? 0);

/** The limit that leaves nothing for another round, if there is one. */
function spentLimit(run: OpenRun): StopCause | undefined {
  const { maxTurns, maxBudgetUsd, wallMs } = run.setup.limits;
  const limit = (because: string): StopCause => ({
    stopped: "limit",
    because: `${because}, and the check still fails`,
  });
  if (run.elapsedMs() >= wallMs) return limit(`more than ${wallMs} ms`);
  if (maxTurns !== null && run.watch.progress().turns >= maxTurns) return limit(`all ${maxTurns} turns are used`);
  if (maxBudgetUsd !== null && spentUsd(run) >= maxBudgetUsd) return limit("all of the budget is used");
  return undefined;
}

/** What the next round gets: the failed check, and what is left of the limits that agents keep for each start. */
async function nextJob(run: OpenRun, workspace: OpenedWorkspace, because: string): Promise<RoundJob> {
  const { order, setup, progress } = run;
  const { max_turns: turns, max_budget_usd: budget } = order.config;
  const failed: FailedRound = {
    round: progress.rounds.length + 1,
    task: order.task,
    // The check may see more of the environment than the agent does.
    because: redact(because, setup.secrets).text,
    changed: await changedFiles(workspace),
    ends: progress.rounds.flatMap(({ end }) => end ?? []),
  };
  const config: WorkOrder["config"] = {
    ...order.config,
    max_turns: turns === null ? null : turns - run.watch.progress().turns,
    max_budget_usd: budget === null ? null : budget - spentUsd(run),
  };
  return { order: { ...order, task: factsOf(failed), config }, followUp: followUpOf(failed) };
}

/** Undefined when the workspace cannot be read. */
async function changedFiles({ before, store }: OpenedWorkspace): Promise<string | undefined> {
  if (before === null) return undefined;
  try {
    return (await compareSnapshots(store, before, await store.take())).status;
  } catch {
    // The next check will say so.
    return undefined;
  }
}

interface Ended {
  /** The final events, with the closing event last. */
  readonly events: readonly AgentEvent[];
  readonly end: RunEnd;
}

/** On a full disk, nothing is lost: what was recorded becomes a receipt as soon as there is space. */
async function endOrAdvise(run: OpenRun, stop: StopCause | undefined): Promise<Ended> {
  try {
    // A receipt might still fit where a log line did not, but it would be missing what that line says.
    const refusal = run.log.refusal();
    if (diskError(refusal) !== undefined) throw refusal;
    return await endRun(run, stop);
  } catch (error) {
    const full = isUserError(error) ? diskError(error.cause, error.where) : diskError(error, run.log.folder);
    if (full === undefined) throw error;
    const { message, where = run.log.folder, fix, exitCode } = full;
    const then = "then run: signalbox runs, which stores a receipt of what was recorded";
    throw new UserError(message, { where, fix: `${fix}, ${then}`, exitCode, cause: error });
  }
}

/** Decides the outcome of a run in which nothing more happens, and builds and seals the receipt. */
async function endRun(run: OpenRun, stop: StopCause | undefined): Promise<Ended> {
  const { header, log, progress, setup } = run;
  const refused = takeArtifacts(wholeEnd(run)?.artifacts ?? [], progress.workspace?.root ?? header.root, run.artifacts);
  const ended = gatherRun(run);
  const checked = wholeCheck(run, stop);
  const decided = decideOutcome({
    stop,
    outcome: progress.rounds.at(-1)?.end?.outcome,
    verified: checked.verified,
    notAccepted: checked.because,
    lastDenied: ended.guard.lastDenied,
    lastError: run.trace.findLast((event) => event.type === "error")?.message,
    round: roundNumber(run),
  });
  if (refused.length > 0)
    keepEvent(run, newEvent({ type: "warning", message: `not stored as artifacts: ${refused.join(", ")}` }));
  const built = await buildReceipt({ ...ended, trace: [...run.trace] }, checked, decided, setup);
  for (const event of built.events) logIfPossible(run, event);
  const sealed = sealRun(built, setup.home);
  log.end(sealed.end);
  const { receipt, facts, patch } = built;
  const { exitCode, because } = decided;
  const end = { runId: header.run_id, receipt, receiptFile: sealed.file, facts, exitCode, because, patch };
  return {
    events: built.events,
    end: { type: "run-end", ...end, ...(stop?.fix === undefined ? {} : { fix: stop.fix }) },
  };
}

/** Collects everything known about a run that has ended. */
function gatherRun(run: OpenRun): EndedRun {
  const { header, log, audit, progress, artifacts } = run;
  const hosts = progress.rounds.map(({ host }) => host);
  const { backend, capabilities, agent } = hosts.at(-1) ?? unknownHost(header.agent);
  const holds = hosts.length > 0 && hosts.every((host) => host.holds);
  const head = auditHead(audit);
  audit[Symbol.dispose]();
  // Without a host, no rules were ever in effect.
  const policyHash = hosts.length === 0 ? null : (progress.guard?.policyHash ?? null);
  return {
    header,
    folder: log.folder,
    durationMs: run.elapsedMs(),
    backend,
    capabilities,
    agent,
    holds,
    containment: joinContainment(hosts.map((host) => host.containment?.())),
    trace: run.trace,
    end: wholeEnd(run),
    guard: { ...(progress.guard?.counts(holds) ?? NO_COUNTS), policyHash },
    auditHead: head,
    artifacts,
    workspace: progress.workspace,
    commits: progress.commits,
  };
}

/** On a full disk, we still try to store the receipt, which says what is missing. */
function logIfPossible({ log }: OpenRun, event: AgentEvent): void {
  try {
    log.append({ t: "event", event });
  } catch {
    // Storing the receipt fails next, and that error is reported to the user.
  }
}

/** The stop reason for a thrown error. */
function stopFor(error: unknown): StopCause {
  const because = messageOf(error);
  if (error instanceof ProtocolError) return { stopped: "crashed", because };
  return { stopped: "failed", because, ...(isUserError(error) ? { exitCode: error.exitCode, fix: error.fix } : {}) };
}

function failureCode({ progress }: OpenRun, error: unknown): ErrorCode {
  if (error instanceof UnmetRequirements) return "capability_unsupported";
  if (progress.workspace === undefined) return "workspace_init_failed";
  if (error instanceof ProtocolError) return "protocol_handshake_failed";
  return progress.rounds.length === 0 ? "sidecar_spawn_failed" : "internal";
}

const POLL_MS = 200;

/** Watches for the user's Ctrl-C and for `signalbox cancel` from another process. */
function watchInterruptions({ setup, stops, log }: OpenRun): Disposable {
  const { signal } = setup;
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
