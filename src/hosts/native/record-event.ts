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
      // What a sub-agent says is in its own log; what it costs belongs to the session.
      return event.event.type === "usage" ? usageRecord({ agent: event.agent, ...event.event }) : undefined;
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

function usageRecord({ usage, cost, agent }: UsageEvent): SessionRecord {
  return {
    type: "usage",
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(agent === undefined ? {} : { agent }),
  };
}
