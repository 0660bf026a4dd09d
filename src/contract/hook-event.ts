/** Every point in an agent's work where rules and hooks can act, with one name for all agents. */
export type HookEventName =
  | "session-start"
  | "session-end"
  | "prompt-submitted"
  | "tool-before"
  | "tool-after"
  | "agent-stop"
  | "subagent-stop"
  | "compact-before"
  | "error";

interface EventSource {
  readonly session: string;
  /** The agent's working directory, as the agent reports it. */
  readonly cwd?: string | undefined;
  /** Set when the event comes from a sub-agent. */
  readonly subAgent?: string | undefined;
}

/** What an agent reports at such a point, independent of the agent's own vocabulary. */
export type HookEvent = EventSource &
  (
    | { readonly type: "session-start"; readonly source: string }
    | { readonly type: "session-end"; readonly reason: string }
    | { readonly type: "prompt-submitted"; readonly prompt: string }
    | {
        readonly type: "tool-before";
        readonly tool: string;
        readonly input: unknown;
        /** The call's id, where it is the one in the agent's output. */
        readonly id?: string | undefined;
        readonly trace?: CallTrace;
        /** A permission mode that the user chose and that our `allow` must not override. */
        readonly mode?: "plan" | "dont-ask" | undefined;
      }
    | {
        readonly type: "tool-after";
        readonly tool: string;
        readonly input: unknown;
        readonly output: unknown;
        /** Set where the agent reports a call that failed by another name. Its own hooks for calls that ran do not run then. */
        readonly failed?: true;
      }
    /** `again`: the agent is only still running because an earlier stop was refused. */
    | { readonly type: "agent-stop" | "subagent-stop"; readonly again: boolean }
    | { readonly type: "compact-before"; readonly trigger: string }
    | { readonly type: "error"; readonly message: string }
  );

/** The file in which the agent recorded the call as the model made it, and the call's id in that file. */
export interface CallTrace {
  readonly file: string;
  readonly call: string;
}

export type ToolBefore = Extract<HookEvent, { readonly type: "tool-before" }>;
export type ToolAfter = Extract<HookEvent, { readonly type: "tool-after" }>;
