import type { SessionRecord } from "../../contract/session-record.ts";
import type { SessionEvent } from "../../engine/event.ts";

/** What the log keeps of an event; nothing for those that only a watcher needs. */
export function recordEvent(event: SessionEvent): SessionRecord | undefined {
  switch (event.type) {
    case "message":
      if (event.message.role === "tool") return undefined;
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
      return {
        type: "usage",
        ...(event.usage === undefined ? {} : { usage: event.usage }),
        ...(event.cost === undefined ? {} : { cost: event.cost }),
      };
    case "tool-start":
      return { type: "call-start", callId: event.call.id };
    case "tool-end":
      return { type: "call-end", result: event.result };
    case "history-replaced":
      return { type: "history", history: [...event.history], because: event.because };
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
