import { eventOrigin } from "../../contract/child-event.ts";
import type { SessionEvent, UsageEvent } from "../../contract/engine-event.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import { loggedDeed } from "../../contract/work-metrics.ts";

/** The log record of an event; undefined for events that only an observer needs. */
export function recordEvent(event: SessionEvent): SessionRecord | undefined {
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
