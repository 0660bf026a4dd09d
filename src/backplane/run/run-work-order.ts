import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { diskError } from "../../lib/disk-error.ts";
import { isUserError, UserError } from "../../lib/user-error.ts";
import { workspaceRoot } from "../workspace/open-workspace.ts";
import { wholeCheck, wholeEnd } from "./all-rounds.ts";
import { takeArtifacts } from "./artifacts.ts";
import { buildReceipt, type EndedRun, sealRun, unknownHost } from "./build-receipt.ts";
import { NO_COUNTS } from "./call-ledger.ts";
import type { CheckedRun } from "./checked-run.ts";
import { joinContainment } from "./containment-of-rounds.ts";
import { decideOutcome } from "./decide-outcome.ts";
import { doWork, stopFor } from "./do-work.ts";
import { refuseSecondRun } from "./known-runs.ts";
import type { StopCause } from "./limits.ts";
import { beginRun, keepEvent, type OpenRun } from "./open-run.ts";
import { checkOrderEnvironment, readOrderPolicy, readWorkOrder } from "./read-order.ts";
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
