/** Every moment of an agent's work at which rules and hooks may speak, under one name for all agents. */
export const HOOK_EVENTS = [
  "session-start",
  "session-end",
  "prompt-submitted",
  "tool-before",
  "tool-after",
  "agent-stop",
  "subagent-stop",
  "compact-before",
  "error",
] as const;
export type HookEventName = (typeof HOOK_EVENTS)[number];

export const isHookEvent = (name: string): name is HookEventName => HOOK_EVENTS.some((known) => known === name);

interface Told {
  readonly session: string;
  /** The folder that the agent says it works in. */
  readonly cwd?: string | undefined;
  /** Set when a sub-agent speaks. */
  readonly subAgent?: string | undefined;
}

/** What an agent tells at such a moment, whatever its own words for it are. */
export type HookEvent = Told &
  (
    | { readonly type: "session-start"; readonly source: string }
    | { readonly type: "session-end"; readonly reason: string }
    | { readonly type: "prompt-submitted"; readonly prompt: string }
    | { readonly type: "tool-before"; readonly tool: string; readonly input: unknown; readonly trace?: CallTrace }
    | { readonly type: "tool-after"; readonly tool: string; readonly input: unknown; readonly output: unknown }
    /** `again`: the agent goes on only because an earlier stop was refused. */
    | { readonly type: "agent-stop" | "subagent-stop"; readonly again: boolean }
    | { readonly type: "compact-before"; readonly trigger: string }
    | { readonly type: "error"; readonly message: string }
  );

/** Where an agent has written down a call as the model made it, and under which name. */
export interface CallTrace {
  readonly file: string;
  readonly call: string;
}

export type ToolBefore = Extract<HookEvent, { readonly type: "tool-before" }>;
export type ToolAfter = Extract<HookEvent, { readonly type: "tool-after" }>;

/** Moments at which no answer means no: the others go on without one. */
export const mustAnswer = (event: HookEventName) => event === "tool-before" || isStop(event);

export const isStop = (event: HookEventName): event is "agent-stop" | "subagent-stop" =>
  event === "agent-stop" || event === "subagent-stop";
