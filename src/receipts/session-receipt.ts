import { AgentEvent, deniedEvents, newEvent } from "../contract/agent-event.ts";
import type { Outcome, Receipt } from "../contract/receipt.ts";
import type { Acceptance, SealFacts, StopReason } from "../contract/seal.ts";
import type { RedactOptions } from "../guard/redact.ts";
import { keptChecks } from "./acceptance/accept-work.ts";
import { sealSummary } from "./seal/store-receipt.ts";
import type { RecordedCall, CallRecord } from "./call-record.ts";

interface SessionCheck extends Pick<SealFacts, "verified" | "tree"> {
  readonly acceptance: readonly Acceptance[];
}

/** A session in which nothing more happens. */
export interface EndedSession {
  /** A UUID, and that of the work that this session continues. */
  readonly id: string;
  readonly workId?: string;
  readonly agent: string;
  readonly root: string;
  readonly agentVersion: string | null;
  readonly binarySha256: string | null;
  /** The version of signalbox. */
  readonly version: string;
  readonly startedAt: Date;
  readonly record: CallRecord;
  readonly stopped: StopReason;
  readonly because: string;
  /** The agent said that it is done. */
  readonly claimed: boolean;
  readonly check?: SessionCheck | undefined;
  /** What changed, as lines of `git status`; undefined if that is not known. */
  readonly files: readonly string[] | undefined;
  readonly usage?: Receipt["usage"] | undefined;
  /** The commit that it ended on, if it made one. */
  readonly commit?: string | undefined;
  /** Every call was judged, by the policy with this hash. */
  readonly held: boolean;
  readonly policyHash: string | null;
  readonly containment: SealFacts["containment"];
  readonly auditHead: SealFacts["audit_head"];
}

/** Seals the receipt of a session. Returns its hash. */
export function sealSession(home: string, session: EndedSession, secrets: RedactOptions): string {
  const { id, workId = id, agent, record, claimed, stopped, because, containment, check, files, usage } = session;
  const { verified = "not_checked", acceptance = [], tree = null } = check ?? {};
  const outcome = outcomeOf(stopped, verified);
  const status = files?.map((line) => `${line}\n`).join("") ?? null;
  return sealSummary(
    home,
    {
      runId: id,
      workId,
      agent,
      version: session.version,
      startedAt: session.startedAt.toISOString(),
      durationMs: Math.max(0, Date.now() - session.startedAt.getTime()),
      trace: traceOf(session),
      outcome,
      because,
      guard: { decisions: record.decisions(), policy_sha256: session.policyHash },
      containment,
      auditHead: session.auditHead,
      commit: session.commit,
      facts: {
        agent: { name: agent, version: session.agentVersion, binary_sha256: session.binarySha256 },
        guard: {
          version: session.version,
          policy_sha256: session.policyHash,
          decisions: record.decisions(),
          held: session.held,
          calls_not_held: [],
        },
        stopped,
        claimed,
        verified,
        acceptance: keptChecks(acceptance, secrets),
        tree,
      },
      receipt: {
        backend: { id: agent, backend_version: session.agentVersion, adapter_version: null },
        ...(usage === undefined ? {} : { usage }),
        verification: { git_diff: null, git_status: status, harness_ok: verified === "accepted" },
      },
      end: { stopped, claimed, verified, session: true },
    },
    secrets,
  );
}

/** How the end of a session tells of its receipt. */
export function sessionLine(record: CallRecord, files: readonly string[] | undefined, id: string): string {
  const { deny } = record.decisions();
  const parts = [
    counted(record.count(), "call"),
    `${deny} denied`,
    files === undefined ? "changed files not counted" : `${counted(files.length, "file")} changed`,
  ];
  return `${parts.join(", ")}; receipt ${id.slice(0, 8)} (signalbox receipt show ${id.slice(0, 8)})`;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

function outcomeOf(stopped: StopReason, verified: SealFacts["verified"]): Outcome {
  if (stopped === "crashed" || stopped === "failed") return "failed";
  if (stopped !== "answered") return "partial";
  if (verified === "refused") return "failed";
  return verified === "stale" || verified === "changed_check" ? "partial" : "complete";
}

function traceOf({ agent, record, root }: EndedSession): readonly AgentEvent[] {
  const task = record.task() === "" ? "a session" : record.task();
  const more = record.count() - record.calls.length;
  const cut = more <= 0 ? [] : [newEvent({ type: "warning", message: `${more} more calls are only counted` })];
  const ext = { session: true, root };
  const start = newEvent({ type: "run_started", message: `${agent}: ${task}`, ext });
  return [start, ...record.calls.flatMap(eventsOf), ...cut];
}

function eventsOf({ tool, input, id, verdict, because, at }: RecordedCall): readonly AgentEvent[] {
  const ts = at.toISOString();
  const call = {
    type: "tool_call",
    tool_name: tool,
    tool_use_id: id ?? null,
    parent_tool_use_id: null,
    input,
    ts,
  } as const;
  const denied = verdict === "deny" ? deniedEvents({ tool, id: id ?? undefined }, because) : [];
  return [AgentEvent.parse(call), ...denied.map((event) => ({ ...event, ts }))];
}
