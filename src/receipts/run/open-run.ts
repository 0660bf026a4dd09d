import { randomUUID } from "node:crypto";
import { AgentEvent } from "../../contract/agent-event.ts";
import type { HostEnd } from "../../contract/receipt.ts";
import type { OrderPolicy } from "../../contract/policy.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { type AuditSegment, openSegment } from "../../guard/audit/write-audit.ts";
import { redact, redactJson, type RedactOptions } from "../../guard/redact.ts";
import { errorCode, EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { startTime } from "../../lib/process/process-table.ts";
import type { KeptBase } from "../acceptance/check-base.ts";
import type { Host } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { type Artifact, type ArtifactStore, openArtifacts } from "./artifacts.ts";
import { type LimitWatch, openStopSwitch, type StopSwitch, watchLimits } from "./limits.ts";
import type { OrderGuard } from "./order-guard.ts";
import { createRunLog, type RunHeader, type RunLog } from "./run-log.ts";
import type { RunParts, RunStep } from "./run-parts.ts";

/** A run that has begun. From here on, there will be a receipt. */
export interface OpenRun {
  readonly header: RunHeader;
  readonly order: WorkOrder;
  /** The order's rules, in the guard's form. */
  readonly rules: OrderPolicy;
  readonly log: RunLog;
  readonly trace: AgentEvent[];
  readonly artifacts: ArtifactStore;
  readonly watch: LimitWatch;
  readonly stops: StopSwitch;
  readonly audit: AuditSegment;
  readonly secrets: RedactOptions;
  readonly elapsedMs: () => number;
}

/** A run with what has been added to it so far. */
export interface WorkedRun extends OpenRun {
  readonly workspace?: OpenedWorkspace;
  /** What decides the acceptance checks, as it was before the work. */
  readonly checkBase?: KeptBase | undefined;
  readonly guard?: OrderGuard;
  /** By reference, because some hosts learn only while running which agent they are connected to. */
  readonly host?: Pick<Host, "backend" | "capabilities" | "agent" | "holds" | "containment">;
  readonly end?: HostEnd;
  /** The number of this round, if there may be several. */
  readonly round?: number;
}

interface ReadOrder {
  readonly order: WorkOrder;
  readonly rules: OrderPolicy;
  readonly source: string;
}

/** Opens a run for a parsed order. */
export function beginRun({ order, rules, source }: ReadOrder, parts: RunParts): OpenRun {
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
  const store = openArtifacts(source, header.run_id);
  const write = (kind: string, name: string, content: string | Buffer): Artifact => {
    const artifact = store.write(kind, name, content);
    log.append({ t: "artifact", ...artifact });
    return artifact;
  };
  return {
    header,
    order,
    rules,
    log,
    trace: [],
    artifacts: { written: store.written, write },
    watch: watchLimits(parts.limits),
    stops: openStopSwitch(),
    audit: openSegment(parts.home, { now: Date.now, anchor: appendAnchor }),
    secrets: parts.secrets,
    elapsedMs: () => Math.round(performance.now() - started),
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
export function keepEvent(run: WorkedRun, event: AgentEvent): RunStep {
  const because = run.guard?.see(event, run.host?.holds ?? false);
  const { round } = run;
  const ext = {
    ...event.ext,
    ...(because === undefined ? {} : { not_allowed: because }),
    ...(round === undefined ? {} : { round }),
  };
  const judged = because === undefined && round === undefined ? event : { ...event, ext };
  const stored = keepableEvent(judged, run);
  run.log.append({ t: "event", event: stored });
  run.trace.push(stored);
  const stop = run.watch.see(stored);
  if (stop !== undefined) run.stops.stop(stop);
  return { type: "event", event: stored, progress: { ...run.watch.progress() } };
}

/** Larger outputs are stored as artifacts. */
const MAX_INLINE = 8192;
/** Larger tasks too. */
const MAX_TASK = 32_768;
const SHOWN_OF_TASK = 200;

/** An event in the form the receipt stores: secrets redacted, large output moved to an artifact. */
function keepableEvent(event: AgentEvent, { secrets, artifacts }: Pick<OpenRun, "secrets" | "artifacts">): AgentEvent {
  const clean = AgentEvent.parse(redactJson(event, secrets));
  if (clean.type === "run_started" && Buffer.byteLength(clean.message) > MAX_TASK) {
    const { shown, ext } = putAside(clean.message, "task", artifacts);
    return {
      ...clean,
      message: `${clean.message.slice(0, SHOWN_OF_TASK)}… (all of it: ${shown})`,
      ext: { ...clean.ext, ...ext },
    };
  }
  if (clean.type === "tool_result") {
    const text = typeof clean.output === "string" ? clean.output : JSON.stringify(clean.output);
    if (Buffer.byteLength(text) <= MAX_INLINE) return clean;
    const replacement = putAside(text, clean.tool_name, artifacts);
    return { ...clean, output: replacement.shown, ext: { ...clean.ext, ...replacement.ext } };
  }
  if (clean.type === "command_executed" && Buffer.byteLength(clean.output_preview ?? "") > MAX_INLINE) {
    const replacement = putAside(clean.output_preview ?? "", "command", artifacts);
    return { ...clean, output_preview: replacement.shown, ext: { ...clean.ext, ...replacement.ext } };
  }
  return clean;
}

interface PutAside {
  /** Replaces the output: the artifact's path, or the start of the output if no file could be written. */
  readonly shown: string;
  readonly ext: Readonly<Record<string, unknown>>;
}

function putAside(text: string, name: string, artifacts: Pick<ArtifactStore, "write">): PutAside {
  try {
    const artifact: Artifact = artifacts.write("tool_output", `${name}.txt`, text);
    return { shown: artifact.path, ext: { artifact } };
  } catch (error) {
    const why = messageOf(error);
    return { shown: text.slice(0, MAX_INLINE / 4), ext: { output_cut: `${Buffer.byteLength(text)} bytes; ${why}` } };
  }
}
