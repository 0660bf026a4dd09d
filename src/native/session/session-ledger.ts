import { eventOrigin, type SessionEvent, type UsageEvent } from "../../contract/engine-event.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import { loggedDeed } from "../../contract/work-metrics.ts";
import type { Model } from "../../models/model.ts";
import type { Replayed } from "../log/replay.ts";
import type { Session } from "../log/session-log.ts";

/** Writes what happens in a session to its log, before anyone else sees it, and adds up what it costs. */
interface SessionLedger {
  /** In US dollars, from the beginning of the session; undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
  readonly log: (event: SessionEvent) => SessionEvent;
  /** Logs the model and its effort if they are not those that the log names. */
  readonly logModel: () => void;
}

type Known = Pick<Replayed, "model" | "baseUrl" | "effort" | "cost">;

interface LedgerParts {
  readonly model: Model;
  readonly onShortened?: () => void;
}

export function openLedger(session: Session, before: Known, { model, onShortened }: LedgerParts): SessionLedger {
  let { cost } = before;
  const isNew = session.before.length === 0;
  let logged = isNew
    ? { name: model.name, baseUrl: model.baseUrl, effort: undefined }
    : { name: before.model, baseUrl: before.baseUrl, effort: before.effort };
  return {
    get cost() {
      return cost;
    },
    log(event) {
      const record = recordEvent(event);
      if (record !== undefined) session.append(record);
      if (record?.type === "usage")
        cost = cost === undefined || record.cost === undefined ? undefined : cost + record.cost;
      if (event.type === "history-replaced") onShortened?.();
      return event;
    },
    logModel() {
      const { name, baseUrl, effort } = model;
      if (logged.name === name && logged.baseUrl === baseUrl && logged.effort === effort) return;
      logged = { name, baseUrl, effort };
      const where = baseUrl === undefined ? {} : { baseUrl };
      session.append({ type: "model", model: name, ...where, ...(effort === undefined ? {} : { effort }) });
    },
  };
}

/** The log record of an event; undefined for events that only an observer needs. */
function recordEvent(event: SessionEvent): SessionRecord | undefined {
  switch (event.type) {
    case "message":
      return {
        type: "message",
        message: event.message,
        ...(event.promptId === undefined ? {} : { promptId: event.promptId }),
      };
    case "prompt-queued":
      return { type: "queued", promptId: event.promptId, message: event.message, first: true };
    case "prompt-refused":
      return { type: "refused", promptId: event.promptId, because: event.because };
    case "usage":
      return usageRecord(event);
    case "child":
      return childRecord(event);
    case "tool-start":
      return { type: "call-start", callId: event.call.id };
    case "tool-end":
      return {
        type: "call-end",
        result: event.result,
        ...(event.deeds.length === 0 ? {} : { deeds: event.deeds.map(loggedDeed) }),
      };
    case "history-replaced":
      return { type: "history", pieces: [...event.pieces], because: event.because };
    case "gate-blocked":
      return { type: "gate", gate: event.gate, word: "blocked", reason: event.reason };
    case "gate-gave-up":
      return { type: "gate", gate: event.gate, word: "gave-up", reason: event.reason };
    case "gate-passed":
      return { type: "gate", gate: event.gate, word: "passed", reason: "" };
    case "idle":
      return { type: "rest", reason: event.outcome.reason, because: event.outcome.because };
    default:
      return undefined;
  }
}

/** What a sub-agent says is in its own log. What it costs and what it did belong to the session. */
function childRecord(child: SessionEvent): SessionRecord | undefined {
  const { agents, event } = eventOrigin(child);
  const agent = agents.join("/");
  if (event.type === "usage")
    return event.agent === undefined
      ? { ...usageRecord({ ...event, agent }), turn: true }
      : usageRecord({ ...event, agent: `${agent}/${event.agent}` });
  if (event.type !== "tool-end" || event.deeds.length === 0) return undefined;
  const { callId, name, failed } = event.result;
  return { type: "call-end", result: { callId, name, text: "", failed }, deeds: event.deeds.map(loggedDeed), agent };
}

function usageRecord({ usage, cost, agent }: UsageEvent): Extract<SessionRecord, { type: "usage" }> {
  return {
    type: "usage",
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(agent === undefined ? {} : { agent }),
  };
}
