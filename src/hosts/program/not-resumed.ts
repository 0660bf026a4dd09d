import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";

/** Says that a round goes on without the conversation of the round before. */
export function notResumed(agent: string, why: string): AgentEvent {
  const [reason = ""] = why.trim().split("\n");
  const message = `${agent} could not resume its session (${reason}), so it gets the task again, with what was done and the failed check`;
  return newEvent({ type: "warning", message });
}
