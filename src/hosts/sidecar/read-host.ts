import { type HostJob, ProtocolError } from "../../receipts/host.ts";
import { AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { type Capabilities, Capability, SupportLevel } from "../../contract/capability.ts";
import { LooseHostEnvelope } from "../../contract/envelope.ts";
import {
  ArtifactRef,
  ExecutionMode,
  type HostEnd,
  type LooseReceipt,
  NO_USAGE,
  Outcome,
  Usage,
} from "../../contract/receipt.ts";
import type { Line } from "../../lib/text/decode-lines.ts";
import { describeIssue, isRecord } from "../../lib/json/json-value.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { messageOf } from "../../lib/text/user-error.ts";

/** Parses a host's event. An event unknown to the contract is kept as data in a warning, so that nothing is lost. */
export function readEvent(value: unknown): AgentEvent {
  const parsed = AgentEvent.safeParse(value);
  if (parsed.success) return parsed.data;
  return newEvent({ type: "warning", message: "the host sent an unknown kind of event", ext: { raw_event: value } });
}

/** The host's capabilities that we know. Names outside the contract are returned separately. */
export function readCapabilities(reported: Readonly<Record<string, unknown>>): {
  known: Capabilities;
  unknown: string[];
} {
  const known: Capabilities = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(reported)) {
    const [capability, level] = [Capability.safeParse(name), SupportLevel.safeParse(value)];
    if (capability.success && level.success) known[capability.data] = level.data;
    else unknown.push(name);
  }
  return { known, unknown };
}

/** The receipt fields that the contract requires. */
const REQUIRED = [
  "meta",
  "backend",
  "capabilities",
  "usage_raw",
  "usage",
  "trace",
  "artifacts",
  "verification",
  "outcome",
] as const;

/**
 * What is wrong with a host's receipt, as run events. We create most of a receipt ourselves, so missing fields are only
 * a warning. Without a valid outcome, the run has failed.
 */
export function judgeReceipt(receipt: LooseReceipt, job: HostJob): readonly AgentEvent[] {
  const warn = (message: string) => newEvent({ type: "warning", message });
  const missing = REQUIRED.filter((part) => receipt[part] === undefined);
  const { run_id: run = job.runId, work_order_id: order = job.order.id } = isRecord(receipt.meta) ? receipt.meta : {};
  const own = sameId(run, job.runId) && sameId(order, job.order.id);
  const outcome = Outcome.safeParse(receipt.outcome);
  const outcomeText = JSON.stringify(receipt.outcome)?.slice(0, MAX_SHOWN) ?? "none";
  return [
    ...(missing.length === 0 ? [] : [warn(`the host's receipt lacks required fields: ${missing.join(", ")}`)]),
    ...(own ? [] : [warn("the host's receipt names another run or work order; treating it as this run's")]),
    ...(outcome.success
      ? []
      : [newEvent({ type: "error", message: `the host's receipt has an unknown outcome: ${outcomeText}` })]),
  ];
}

const MAX_SHOWN = 80;

const sameId = (id: unknown, own: string) => typeof id === "string" && id.toLowerCase() === own.toLowerCase();

/** What a host's receipt adds to what we observed. An unknown outcome counts as a failure. */
export function readEnd(receipt: LooseReceipt): HostEnd {
  const outcome = Outcome.safeParse(receipt.outcome);
  const mode = ExecutionMode.safeParse(receipt.mode);
  const usage = Usage.safeParse(receipt.usage ?? {});
  return {
    outcome: outcome.success ? outcome.data : "failed",
    mode: mode.success ? mode.data : "mapped",
    usage: usage.success ? usage.data : NO_USAGE,
    usageRaw: receipt.usage_raw ?? null,
    artifacts: (receipt.artifacts ?? []).flatMap((entry) => {
      const parsed = ArtifactRef.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    }),
  };
}

const SHOWN = 200;

/**
 * Parses one line from a host. Returns undefined for an unknown tag, since newer hosts may have more. Anything else
 * that is invalid is a protocol error.
 */
export function readHostEnvelope(line: Line): LooseHostEnvelope | undefined {
  if ("fault" in line) throw new ProtocolError(`the host printed ${line.fault}`);
  let value: unknown;
  try {
    value = parseExactJson(line.text);
  } catch (cause) {
    const why = messageOf(cause);
    const what = why.startsWith("not valid JSON") ? "invalid JSON" : `unreadable JSON (${why})`;
    throw new ProtocolError(`the host printed ${what}: ${line.text.slice(0, SHOWN)}`, { cause });
  }
  if (!isRecord(value) || typeof value["t"] !== "string")
    throw new ProtocolError(`the host printed something that is not an envelope: ${line.text.slice(0, SHOWN)}`);
  const parsed = LooseHostEnvelope.safeParse(value);
  if (parsed.success) return parsed.data;
  const { t } = value;
  if (t === "run" || t === "cancel" || t === "ping")
    throw new ProtocolError(`the host sent '${t}', which only signalbox may send`);
  if (!["hello", "event", "final", "fatal", "pong"].includes(t)) return undefined;
  throw new ProtocolError(
    `the host sent a broken '${t}': ${parsed.error.issues.slice(0, 1).map(describeIssue).join("")}`,
  );
}

/** The major version of a contract such as `abp/v0.1`; undefined for anything else. */
export function majorVersion(contract: string): number | undefined {
  const found = /^abp\/v(\d{1,9})\.\d{1,9}$/.exec(contract)?.[1];
  return found === undefined ? undefined : Number(found);
}
