import type { SessionEvent } from "../../../contract/engine-event.ts";

interface SessionCall {
  readonly event: SessionEvent;
  /** The call that started the sub-agent whose event it is; null for the session's own agent. */
  readonly startedBy: string | null;
}

/** An event of any agent of a session, with ids of calls that are unique in the session. */
export function sessionCall(whole: SessionEvent): SessionCall {
  let event = whole;
  let startedBy: string | null = null;
  let prefix = "";
  for (; event.type === "child"; event = event.event) {
    startedBy = `${prefix}${event.callId}`;
    prefix = `${event.agent}/`;
  }
  if (event.type === "tool-start") event = { ...event, call: { ...event.call, id: `${prefix}${event.call.id}` } };
  if (event.type === "tool-end")
    event = { ...event, result: { ...event.result, callId: `${prefix}${event.result.callId}` } };
  return { event, startedBy };
}
