import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { type AuditSegment, openSegment } from "../../guard/audit/write-audit.ts";
import { redact, type RedactOptions } from "../../guard/redact/redact.ts";
import type { Host } from "../host.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import { errorCode } from "../../lib/error-code.ts";
import { startTime } from "../../lib/process-table.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { type Artifact, type ArtifactStore, openArtifacts } from "./artifacts.ts";
import { callKey } from "./call-ledger.ts";
import { keepableEvent } from "./keep-event.ts";
import { type LimitWatch, type Stop, watchLimits } from "./limits.ts";
import { openOrderGuard, type OrderGuard } from "./order-guard.ts";
import { readOrderPolicy } from "./order-policy.ts";
import { createRunLog, type RunLog } from "./run-log.ts";
import type { RunParts, RunStep } from "./run-parts.ts";
import type { RunHeader } from "./run-record.ts";

/** A run that goes on: what it has gathered so far. */
export interface ActiveRun {
  readonly header: RunHeader;
  readonly order: WorkOrder;
  readonly log: RunLog;
  readonly trace: AgentEvent[];
  readonly artifacts: ArtifactStore;
  readonly watch: LimitWatch;
  readonly audit: AuditSegment;
  readonly elapsedMs: () => number;
  workspace?: OpenedWorkspace;
  guard?: OrderGuard;
  host?: Pick<Host, "backend" | "capabilities" | "agent" | "holds">;
  end?: HostEnd;
  stop?: Stop;
}

/** Opens a run for an order whose rules were read: from here on there will be a receipt. */
export function openActiveRun(order: WorkOrder, source: string, parts: RunParts): ActiveRun {
  const started = performance.now();
  const header: RunHeader = {
    run_id: randomUUID(),
    work_order_id: order.id,
    task: redact(order.task, parts.secrets).text.slice(0, 200),
    agent: parts.agent,
    mode: order.workspace.mode,
    root: source,
    started_at: new Date().toISOString(),
    owner: { pid: process.pid, started: startTime(process.pid) ?? "" },
  };
  const log = openLogOrRefuse(parts.home, header);
  const kept = openArtifacts(source, header.run_id);
  const write = (kind: string, name: string, content: string | Buffer): Artifact => {
    const artifact = kept.write(kind, name, content);
    log.append({ t: "artifact", ...artifact });
    return artifact;
  };
  return {
    header,
    order,
    log,
    trace: [],
    artifacts: { written: kept.written, write },
    watch: watchLimits(parts.limits),
    audit: openSegment(parts.home, { now: Date.now, anchor: appendAnchor }),
    elapsedMs: () => Math.round(performance.now() - started),
  };
}

function openLogOrRefuse(home: string, header: RunHeader): RunLog {
  try {
    return createRunLog(home, header);
  } catch (cause) {
    throw new UserError(`the run cannot be written down (${errorCode(cause) ?? String(cause)})`, {
      where: home,
      fix: "make room there, and make it writable for you",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

/** The guard of a run whose workspace is known. */
export function openRunGuard(run: ActiveRun, root: string, parts: RunParts): OrderGuard {
  const guard = openOrderGuard({
    policy: parts.policy,
    order: readOrderPolicy(run.order),
    root,
    session: run.header.run_id,
    agent: run.header.agent,
    world: parts.world,
    append: (entry) => run.audit.append(entry),
    redact: (text) => redact(text, parts.secrets).text,
  });
  run.log.append({ t: "policy", policy_sha256: guard.policyHash });
  return {
    ...guard,
    decide(call) {
      const decision = guard.decide(call);
      run.log.append({ t: "decision", verdict: decision.verdict, call: callKey(call), tool: call.tool });
      return decision;
    },
  };
}

/** Keeps an event: clean, on disk, in the trace. Only then may it be shown. */
export function keepEvent(run: ActiveRun, event: AgentEvent, secrets: RedactOptions): RunStep {
  const because = run.guard?.see(event, run.host?.holds ?? false);
  const told = because === undefined ? event : { ...event, ext: { ...event.ext, not_allowed: because } };
  const kept = keepableEvent(told, { secrets, artifacts: run.artifacts });
  run.log.append({ t: "event", event: kept });
  run.trace.push(kept);
  const stop = run.watch.see(kept);
  if (stop !== undefined) run.stop ??= stop;
  return { type: "event", event: kept, progress: { ...run.watch.progress() } };
}
