import type { SessionEvent } from "../../engine/event.ts";
import { callLine, oneLine } from "./call-line.ts";

/** What a person should see of an event beside the model's own words: one line, or nothing. */
export function describeEvent(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "tool-start":
      return `· ${callLine(event.call)}`;
    case "tool-end":
      return event.result.failed ? `  failed: ${oneLine(event.result.text, 160)}` : undefined;
    case "request-failed":
      return event.retryInMs === null
        ? `the model failed: ${oneLine(event.because, 300)}`
        : `the model failed (${oneLine(event.because, 120)}); trying again in ${(event.retryInMs / 1000).toFixed(1)} s`;
    case "response":
      return event.text.trim() === "" ? "the model answered nothing: no words, and no call that has a name" : undefined;
    case "history-replaced":
      return "the history was made smaller to fit";
    case "prompt-refused":
      return `the prompt was refused: ${oneLine(event.because, 160)}`;
    case "gate-blocked":
      return `not finished (${event.gate}): ${oneLine(event.reason, 160)}`;
    case "gate-passed":
      return `${event.gate}: passed`;
    case "gate-gave-up":
      return `${event.gate}: gave up`;
    case "hook-failed":
      return `a ${event.hook} hook failed: ${oneLine(event.because, 160)}`;
    default:
      return undefined;
  }
}
