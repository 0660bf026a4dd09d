import type { HookEventName } from "../../contract/hook-event.ts";

export const HOOK_EVENTS: readonly HookEventName[] = [
  "session-start",
  "session-end",
  "prompt-submitted",
  "tool-before",
  "tool-after",
  "agent-stop",
  "subagent-stop",
  "compact-before",
  "error",
];

export const isHookEvent = (name: string): name is HookEventName => HOOK_EVENTS.some((known) => known === name);

/** Events at which no answer means no. At the others the agent continues without one. */
export const mustAnswer = (event: HookEventName) => event === "tool-before" || isStop(event);

export const isStop = (event: HookEventName): event is "agent-stop" | "subagent-stop" =>
  event === "agent-stop" || event === "subagent-stop";
