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
    | {
        readonly type: "agent-stop" | "subagent-stop";
        readonly again: boolean;
        /** The agent's own record of the conversation, where it names that. */
        readonly transcript?: string | undefined;
      }
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

/** The answer to an agent that wants to stop. */
export interface StopAnswer {
  /** Also for prompts: why it is blocked. */
  readonly block?: string | undefined;
  /** A line for the person, in agents that can show one. */
  readonly tell?: string | undefined;
}

/** The answer of the rules and hooks to one event. An empty answer means no opinion. */
export interface HookAnswer extends StopAnswer {
  /** For `tool-before`. `allow` skips the agent's own prompt, so only hooks in the user's home may return it. */
  readonly verdict?: "allow" | "ask" | "deny" | undefined;
  readonly because?: string | undefined;
  /** For `tool-before`: replacement arguments. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The call was rewritten to run in our sandbox, after we held the agent's own rules against it. */
  readonly contained?: true | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** For `prompt-submitted`: the prompt to use instead. Only our own engine takes it. */
  readonly prompt?: string | undefined;
  /** For `tool-after`: the call failed, which is an event of its own in some agents. */
  readonly afterFailure?: true | undefined;
  /** For `tool-after`: the result to use instead. Only our own engine takes it. */
  readonly result?: ChangedResult | undefined;
}

/** A tool's result as a hook wants the model to see it. Without `failed`, the call counts as it did before. */
interface ChangedResult {
  readonly text: string;
  readonly failed?: boolean;
}

/** What the launch of a session sees of it, and what it says when the agent wants to stop. */
export interface SessionWatch {
  /** A stop may take as long as a check. */
  readonly checksStops: boolean;
  /** The person sent a prompt. */
  readonly prompted: (prompt: string) => void;
  /** Called around every call. */
  readonly began: (call: string) => void;
  readonly ended: (call: string, event: Pick<ToolAfter, "tool" | "input" | "subAgent">) => void;
  /** The agent, and not a sub-agent, wants to stop, and no hook of the person refused that. */
  readonly stopping: (transcript?: string) => Promise<StopAnswer>;
}

export type Payload = Readonly<Record<string, unknown>>;

/**
 * The JSON one agent uses for hooks. Each agent has its own format; they are never merged, because an agent ignores
 * another agent's denial and runs the tool.
 */
export interface Dialect {
  readonly name: string;
  /** The agent's own names for the events it supports. */
  readonly events: Readonly<Partial<Record<HookEventName, string>>>;
  /** True when an `ask` from the hook reaches a person. */
  readonly asks: boolean;
  /** Set when the agent drops changed arguments that come with an `ask`, so that an approved call runs as it was. */
  readonly askDropsInput?: true;
  /** The exit code for an ordinary denial. */
  readonly denialExit: 0 | 2;
  /** Parses what the agent sends. Throws when it is not in this agent's format. */
  readonly read: (event: HookEventName, payload: Payload) => HookEvent;
  /** The single object to print. */
  readonly write: (event: HookEventName, answer: HookAnswer) => Payload;
}
