import { callText } from "../contract/agent-call.ts";
import type { AgentEvent } from "../contract/agent-event.ts";
import { denialForPerson } from "../guard/explain.ts";
import { isRecord } from "../lib/json/json-value.ts";

/** A call that was blocked, and why, in words for a person. */
export interface DeniedCall {
  readonly call: string;
  readonly because: string;
}

/** The blocked calls of a trace, in order. */
export function deniedCalls(trace: readonly AgentEvent[]): readonly DeniedCall[] {
  return trace.flatMap((event, at) => {
    if (event.type !== "tool_result" || !isRecord(event.output) || event.output["denied"] !== true) return [];
    const { reason } = event.output;
    const call = trace.slice(0, at).findLast((earlier) => isCallOf(earlier, event));
    return {
      call: call?.type === "tool_call" ? callText(call.tool_name, call.input) : event.tool_name,
      because: typeof reason === "string" ? denialForPerson(reason) : "no reason was given",
    };
  });
}

function isCallOf(event: AgentEvent, result: Extract<AgentEvent, { type: "tool_result" }>): boolean {
  if (event.type !== "tool_call") return false;
  return result.tool_use_id === null ? event.tool_name === result.tool_name : event.tool_use_id === result.tool_use_id;
}
