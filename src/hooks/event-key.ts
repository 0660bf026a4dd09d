import { readPayload } from "../agents/dialect/hook-event.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { toolKind } from "../guard/judge/tool-kind.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";

interface Report {
  readonly event: HookEventName;
  readonly text: string;
}

/**
 * The same text for all reports of one event, also if an agent reports it in the fields of another agent. Undefined for
 * an agent that does not send the time of the event: without it, a repeated call would look the same.
 * `changedInput` replaces the arguments, because the next hook sees those that the previous one returned.
 */
export function eventKey({ event, text }: Report, changedInput?: unknown): string | undefined {
  const payload = payloadIn(text);
  if (payload === undefined) return undefined;
  const session = either(payload["sessionId"], payload["session_id"]);
  const time = timeOf(payload["timestamp"]);
  if (typeof session !== "string" || time === undefined) return undefined;
  if (event !== "tool-before" && event !== "tool-after") return canonicalJson([event, session, time]);
  const tool = either(payload["toolName"], payload["tool_name"]);
  const input = changedInput ?? either(payload["toolArgs"], payload["tool_input"]);
  if (typeof tool !== "string" || input === undefined) return undefined;
  const kind = toolKind(tool);
  return canonicalJson([event, session, time, kind === "unknown" || kind === "plan" ? tool : kind, input]);
}

/** The arguments that an answer gives the tool instead of its own. */
export function inputIn(stdout: string): unknown {
  try {
    const answer: unknown = parseJson(stdout);
    if (!isRecord(answer)) return undefined;
    const nested = answer["hookSpecificOutput"];
    return answer["modifiedArgs"] ?? (isRecord(nested) ? nested["updatedInput"] : undefined);
  } catch {
    return undefined;
  }
}

function payloadIn(text: string) {
  try {
    return readPayload(text);
  } catch {
    return undefined;
  }
}

/** A report that has both could be read as two different events. */
const either = (one: unknown, other: unknown) =>
  one === undefined || other === undefined ? (one ?? other) : undefined;

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isSafeInteger(time) ? time : undefined;
}
