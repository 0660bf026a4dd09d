import type { Verdict } from "../contract/verdict.ts";

/** What the rules and hooks say to one event. An empty answer is no opinion. */
export interface HookAnswer {
  /** For `tool-before`. `allow` skips the agent's own question, so only hooks of the user's home may say it. */
  readonly verdict?: Verdict | undefined;
  readonly because?: string | undefined;
  /** For `tool-before`: the arguments to use instead. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** For stops and prompts: why it may not happen. */
  readonly block?: string | undefined;
}

/** What a hook process prints and how it exits. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}
