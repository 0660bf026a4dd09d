import { AgentEvent, type AgentEventInput } from "./agent-event.ts";

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "ts"> : never;

/** An event with the current time. */
export function newEvent(fields: WithoutTime<AgentEventInput>): AgentEvent {
  return AgentEvent.parse({ ...fields, ts: new Date().toISOString() });
}

/** The two events for a call that was denied. */
export function deniedEvents(
  call: { readonly tool: string; readonly id?: string | undefined },
  because: string,
): AgentEvent[] {
  return [
    newEvent({ type: "warning", message: `tool denied: ${because} (${call.tool})` }),
    newEvent({
      type: "tool_result",
      tool_name: call.tool,
      tool_use_id: call.id ?? null,
      output: { denied: true, reason: because },
      is_error: true,
    }),
  ];
}
