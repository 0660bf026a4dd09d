/** The answer of the rules and hooks to one event. An empty answer means no opinion. */
export interface HookAnswer {
  /** For `tool-before`. `allow` skips the agent's own prompt, so only hooks in the user's home may return it. */
  readonly verdict?: "allow" | "ask" | "deny" | undefined;
  readonly because?: string | undefined;
  /** For `tool-before`: replacement arguments. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The call was rewritten to run in our sandbox, after we held the agent's own rules against it. */
  readonly contained?: true | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** For stops and prompts: why it is blocked. */
  readonly block?: string | undefined;
  /** For `prompt-submitted`: the prompt to use instead. Only our own engine takes it. */
  readonly prompt?: string | undefined;
  /** For `tool-after`: the call failed, which is an event of its own in some agents. */
  readonly afterFailure?: true | undefined;
  /** For `tool-after`: the result to use instead. Only our own engine takes it. */
  readonly result?: ChangedResult | undefined;
}

/** A tool's result as a hook wants the model to see it. Without `failed`, the call counts as it did before. */
export interface ChangedResult {
  readonly text: string;
  readonly failed?: boolean;
}
