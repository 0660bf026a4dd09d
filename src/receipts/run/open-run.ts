import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { OrderPolicy } from "../../contract/policy.ts";
import { addUsage, type HostEnd, NO_USAGE, type Usage } from "../../contract/receipt.ts";
import type { ContainmentFacts } from "../../contract/seal.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { type AuditSegment, openSegment } from "../../guard/audit/write-audit.ts";
import { redact } from "../../guard/redact.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import { NOT_CHECKED, type WorkCheck } from "../acceptance/accept-work.ts";
import type { KeptBase } from "../acceptance/check-base.ts";
import type { CommitWatch } from "../commit-watch.ts";
import type { Host } from "../host.ts";
import { type ArtifactStore, keepableEvent, openArtifacts } from "../workspace/artifacts.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { type LimitWatch, openStopSwitch, type StopCause, type StopSwitch, watchLimits } from "./limits.ts";
import type { OrderGuard } from "./order-guard.ts";
import { createRunLog, type RunHeader, type RunLog } from "./run-log.ts";
import type { RunSetup, RunStep } from "./run-setup.ts";
import { openTraceCalls, type TraceCalls } from "./trace-calls.ts";

/** A run that has begun. From here on, there will be a receipt. */
export interface OpenRun {
  readonly setup: RunSetup;
  readonly header: RunHeader;
  readonly order: WorkOrder;
  /** The order's rules, in the guard's form. */
  readonly rules: OrderPolicy;
  readonly log: RunLog;
  readonly trace: AgentEvent[];
  readonly calls: TraceCalls;
  readonly artifacts: ArtifactStore;
  readonly watch: LimitWatch;
  readonly stops: StopSwitch;
  readonly audit: AuditSegment;
  readonly elapsedMs: () => number;
  readonly progress: RunProgress;
}

/** How far a run has come. Each phase adds what it has made; the receipt is built from what is there in the end. */
interface RunProgress {
  workspace?: OpenedWorkspace;
  /** What decides the acceptance checks, as it was before the work. */
  checkBase?: KeptBase | undefined;
  guard?: OrderGuard;
  commits?: CommitWatch;
  /** The last one is the current one. */
  readonly rounds: Round[];
}

/** One try of the agent, from when its host is open. */
export interface Round {
  /** By reference, because some hosts learn only while running which agent they are connected to. */
  readonly host: Host;
  /** Undefined unless the host ended by itself. */
  end?: HostEnd | undefined;
  checked?: WorkCheck;
}

/** Opens a run for a parsed order, which works in `root` or a copy of it. */
export function beginRun(order: WorkOrder, rules: OrderPolicy, root: string, setup: RunSetup): OpenRun {
  const started = performance.now();
  const header: RunHeader = {
    run_id: randomUUID(),
    work_order_id: order.id,
    task: redact(order.task, setup.secrets).text.slice(0, 200),
    agent: setup.agent,
    mode: order.workspace.mode,
    root,
    started_at: new Date().toISOString(),
    owner: { pid: process.pid, started: startTime(process.pid) ?? "" },
  };
  const log = openLogOrRefuse(setup.home, header);
  return {
    setup,
    header,
    order,
    rules,
    log,
    trace: [],
    calls: openTraceCalls(),
    artifacts: openArtifacts(root, header.run_id, (artifact) => log.append({ t: "artifact", ...artifact })),
    watch: watchLimits(setup.limits),
    stops: openStopSwitch(),
    audit: openSegment(setup.home, { now: Date.now, anchor: appendAnchor }),
    elapsedMs: () => Math.round(performance.now() - started),
    progress: { rounds: [] },
  };
}

function openLogOrRefuse(home: string, header: RunHeader): RunLog {
  try {
    return createRunLog(home, header);
  } catch (cause) {
    throw new UserError(`cannot record the run (${errorCode(cause) ?? String(cause)})`, {
      where: home,
      fix: "free some space there, and make it writable",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

/** Records an event: redacts it, writes it to disk, and adds it to the trace. It may be shown only after that. */
export function keepEvent(run: OpenRun, event: AgentEvent): RunStep {
  const { guard, rounds } = run.progress;
  const because = guard?.see(event, rounds.at(-1)?.host.holds ?? false);
  const round = roundNumber(run);
  const ext = {
    ...event.ext,
    ...(because === undefined ? {} : { not_allowed: because }),
    ...(round === undefined ? {} : { round }),
  };
  const judged = because === undefined && round === undefined ? event : { ...event, ext };
  const stored = keepableEvent(judged, run.setup.secrets, run.artifacts);
  run.log.append({ t: "event", event: stored });
  run.trace.push(stored);
  const stop = run.watch.see(stored);
  if (stop !== undefined) run.stops.stop(stop);
  return { type: "event", event: stored, progress: { ...run.watch.progress() } };
}

/** The number of the current round, if there may be several. */
export const roundNumber = ({ setup, progress }: OpenRun): number | undefined =>
  (setup.rounds ?? 1) > 1 && progress.rounds.length > 0 ? progress.rounds.length : undefined;

/** What all rounds have used, as far as their hosts have ended. */
export const usedSoFar = ({ progress }: OpenRun): Usage =>
  progress.rounds.reduce((sum, { end }) => addUsage(sum, end?.usage ?? NO_USAGE), NO_USAGE);

/** What the seal says about checks: the verdict of the last one, if it counts, and every attempt. */
export function wholeCheck(run: OpenRun, stop: StopCause | undefined): WorkCheck {
  const { rounds } = run.progress;
  const last = rounds.at(-1)?.checked ?? NOT_CHECKED;
  const verdict = stop === undefined ? last : { ...NOT_CHECKED, acceptance: last.acceptance };
  if (roundNumber(run) === undefined) return verdict;
  const acceptance = rounds.flatMap(({ checked = NOT_CHECKED }, index) =>
    checked.acceptance.map((attempt) => ({ ...attempt, round: index + 1 })),
  );
  return { ...verdict, acceptance };
}

/** What the hosts of all rounds reported. Undefined if the last one did not end by itself. */
export function wholeEnd(run: OpenRun): HostEnd | undefined {
  const { rounds } = run.progress;
  const last = rounds.at(-1)?.end;
  if (last === undefined || rounds.length === 1) return last;
  const ends = rounds.flatMap(({ end }) => end ?? []);
  return {
    ...last,
    usage: usedSoFar(run),
    usageRaw: { rounds: ends.map(({ usageRaw }) => usageRaw) },
    artifacts: ends.flatMap(({ artifacts = [] }) => artifacts),
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
