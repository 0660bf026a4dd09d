import { type AgentEvent, type ErrorCode, newEvent } from "../../contract/agent-event.ts";
import type { ContainmentFacts } from "../../contract/seal.ts";
import { diskError, isUserError, messageOf, UserError } from "../../lib/text/user-error.ts";
import type { Snapshot } from "../../snapshots/snapshot.ts";
import { ProtocolError } from "../host.ts";
import { openWorkspace, workspaceRoot } from "../workspace/open-workspace.ts";
import { takeArtifacts } from "./artifacts.ts";
import { buildReceipt, type EndedRun, sealRun, unknownHost } from "./build-receipt.ts";
import { NO_COUNTS } from "./call-ledger.ts";
import { type CheckedRun, recordCheckBase, wholeCheck, wholeEnd, type WorkStep } from "./checked-run.ts";
import { decideOutcome } from "./decide-outcome.ts";
import { UnmetRequirements } from "./host-round.ts";
import { refuseSecondRun } from "./known-runs.ts";
import type { StopCause } from "./limits.ts";
import { beginRun, keepEvent, type OpenRun, type WorkedRun } from "./open-run.ts";
import { checkOrderEnvironment, pathFilter, readOrderPolicy, readWorkOrder } from "./read-order.ts";
import { workInRounds } from "./rounds.ts";
import { openGuard, type PlacedRun } from "./run-guard.ts";
import type { RunEnd, RunParts, RunStep } from "./run-parts.ts";

const BROKEN_OFF: StopCause = { stopped: "interrupted", because: "the caller canceled the run" };

/**
 * Runs a work order and ends with a sealed receipt, whatever the host does. Throws a UserError if the order cannot
 * begin; once `run-start` has been yielded, there will be a receipt. Leaving the loop early interrupts the run.
 */
export async function* runWorkOrder(value: unknown, parts: RunParts): AsyncGenerator<RunStep> {
  const opened = await prepareRun(value, parts);
  let run: CheckedRun = opened;
  let brokenOff = true;
  let failure: StopCause | undefined;
  try {
    yield { type: "run-start", runId: opened.header.run_id, root: opened.header.root };
    for await (const worked of doWork(opened, parts)) {
      ({ run } = worked);
      if (worked.step !== undefined) yield worked.step;
    }
    brokenOff = false;
  } catch (error) {
    failure = stopFor(error);
    brokenOff = false;
  } finally {
    if (brokenOff) await endOrAdvise(run, run.stops.reason() ?? BROKEN_OFF, parts);
  }
  const { events, end } = await endOrAdvise(run, failure ?? run.stops.reason(), parts);
  for (const event of events) yield { type: "event", event, progress: run.watch.progress() };
  yield end;
}

/** Parses the order and opens its run, unless another run is working in the same folder. */
async function prepareRun(value: unknown, parts: RunParts): Promise<OpenRun> {
  const order = readWorkOrder(value);
  const rules = readOrderPolicy(order);
  checkOrderEnvironment(order.config.env);
  const source = workspaceRoot(order, parts.cwd);
  return await refuseSecondRun(order, { source, setting: parts }, () => beginRun({ order, rules, source }, parts));
}

interface Ended {
  /** The final events, with the closing event last. */
  readonly events: readonly AgentEvent[];
  readonly end: RunEnd;
}

/** On a full disk, nothing is lost: what was recorded becomes a receipt as soon as there is space. */
async function endOrAdvise(run: CheckedRun, stop: StopCause | undefined, parts: RunParts): Promise<Ended> {
  try {
    // A receipt might still fit where a log line did not, but it would be missing what that line says.
    const refusal = run.log.refusal();
    if (diskError(refusal) !== undefined) throw refusal;
    return await endRun(run, stop, parts);
  } catch (error) {
    const full = isUserError(error) ? diskError(error.cause, error.where) : diskError(error, run.log.folder);
    if (full === undefined) throw error;
    const { message, where = run.log.folder, fix, exitCode } = full;
    const then = "then run: signalbox runs, which stores a receipt of what was recorded";
    throw new UserError(message, { where, fix: `${fix}, ${then}`, exitCode, cause: error });
  }
}

/** Decides the outcome of a run in which nothing more happens, and builds and seals the receipt. */
async function endRun(run: CheckedRun, stop: StopCause | undefined, parts: RunParts): Promise<Ended> {
  const checked = wholeCheck(run, stop);
  const ended = gatherRun(run);
  const decided = decideOutcome({
    stop,
    outcome: run.end?.outcome,
    verified: checked.verified,
    notAccepted: checked.because,
    lastDenied: ended.guard.lastDenied,
    lastError: run.trace.findLast((event) => event.type === "error")?.message,
    round: run.round,
  });
  const warnings = keptFilesWarning(ended.refusedFiles).map((event) => keepEvent(run, event));
  const trace = warnings.length === 0 ? ended.trace : [...run.trace];
  const built = await buildReceipt({ ...ended, trace }, { checked, decided }, parts);
  built.events.forEach((event) => logIfPossible(run, event));
  const sealed = sealRun(built, parts.home);
  run.log.end(sealed.end);
  const { events, receipt, facts, patch } = built;
  const { exitCode, because } = decided;
  const end = { runId: run.header.run_id, receipt, receiptFile: sealed.file, facts, exitCode, because, patch };
  return { events, end: { type: "run-end", ...end, ...(stop?.fix === undefined ? {} : { fix: stop.fix }) } };
}

/** Collects everything known about a run that has ended. */
function gatherRun(run: CheckedRun): EndedRun & { readonly refusedFiles: readonly string[] } {
  const { header, log, artifacts, audit } = run;
  const workspace = run.workspace?.workspace;
  const end = wholeEnd(run);
  const refusedFiles = takeArtifacts(end?.artifacts ?? [], workspace?.root ?? header.root, artifacts);
  const { hash, count } = audit.head();
  audit[Symbol.dispose]();
  const hosts = [...(run.earlier ?? []).map(({ host }) => host), run.host].filter((host) => host !== undefined);
  const { backend, capabilities, agent } = hosts.at(-1) ?? unknownHost(header.agent);
  const holds = hosts.length > 0 && hosts.every((host) => host.holds);
  return {
    header,
    folder: log.folder,
    durationMs: run.elapsedMs(),
    backend,
    capabilities,
    agent,
    holds,
    containment: joinContainment(hosts.map((host) => host.containment?.())),
    trace: [...run.trace],
    end,
    guard: { ...(run.guard?.counts(holds) ?? NO_COUNTS), policyHash: run.guard?.policyHash ?? null },
    auditHead: count === 0 ? null : { segment: audit.name, hash, count },
    artifacts,
    workspace,
    store: run.workspace?.store,
    refusedFiles,
  };
}

const keptFilesWarning = (refused: readonly string[]): AgentEvent[] =>
  refused.length === 0
    ? []
    : [newEvent({ type: "warning", message: `not stored as artifacts: ${refused.join(", ")}` })];

/** On a full disk, we still try to store the receipt, which says what is missing. */
function logIfPossible({ log }: OpenRun, event: AgentEvent): void {
  try {
    log.append({ t: "event", event });
  } catch {
    // Storing the receipt fails next, and that error is reported to the user.
  }
}

/**
 * Does everything from opening the workspace to the last check. A failure becomes the stop reason and is not thrown.
 */
async function* doWork(opened: OpenRun, parts: RunParts): AsyncGenerator<WorkStep> {
  let run: CheckedRun = opened;
  const keep = (event: AgentEvent): WorkStep => ({ run, step: keepEvent(run, event) });
  const { agent, run_id } = run.header;
  yield keep(newEvent({ type: "run_started", message: `${agent}: ${run.order.task}`, ext: { run_id } }));
  using _interruptions = watchInterruptions(opened, parts.signal);
  try {
    const placed = await enterWorkspace(opened, parts);
    run = placed;
    for (const message of placed.workspace.warnings) yield keep(newEvent({ type: "warning", message }));
    for await (const worked of workInRounds(openGuard(placed, parts), parts)) {
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

/** The stop reason for a thrown error. */
function stopFor(error: unknown): StopCause {
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

/** The facts of several rounds as those of one run: contained only if every round was. Undefined where none is known. */
export function joinContainment(rounds: readonly (ContainmentFacts | undefined)[]): ContainmentFacts | undefined {
  const known = rounds.filter((facts) => facts !== undefined);
  const [first, ...rest] = known;
  return first === undefined ? undefined : rest.reduce(join, first);
}

/** Who contained them is said by the later one, unless only the earlier one was not contained. */
function join(one: ContainmentFacts, other: ContainmentFacts): ContainmentFacts {
  const { contained, form, by, proven_at, because } = one.contained ? other : one;
  const isHeld = (what: string) =>
    [one, other].every(({ held }) => held.includes(what) || (what === "home" && held.includes("secrets")));
  return {
    contained,
    ...(form === undefined ? {} : { form }),
    by,
    held: [...new Set([...one.held, ...other.held])].filter(isHeld),
    proven_at,
    because,
    hosts: joinHosts([...one.hosts, ...other.hosts]),
    refused_hosts: [...new Set([...one.refused_hosts, ...other.refused_hosts])],
    lent: [...one.lent, ...other.lent],
    outside: [...one.outside, ...other.outside],
  };
}

type HostTraffic = ContainmentFacts["hosts"][number];

function joinHosts(hosts: readonly HostTraffic[]): HostTraffic[] {
  const total = new Map<string, HostTraffic>();
  for (const { host, sent, received } of hosts) {
    const before = total.get(host) ?? { host, sent: 0, received: 0 };
    total.set(host, { host, sent: before.sent + sent, received: before.received + received });
  }
  return [...total.values()];
}
