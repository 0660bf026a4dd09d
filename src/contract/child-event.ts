import type { SessionEvent } from "./engine-event.ts";

/** Whose event it is: the ids of the sub-agents it came through, outermost first, none for the session's own agent. */
export function eventOrigin(event: SessionEvent): { readonly agents: readonly string[]; readonly event: SessionEvent } {
  const agents: string[] = [];
  let inner = event;
  for (; inner.type === "child"; inner = inner.event) agents.push(inner.agent);
  return { agents, event: inner };
}
