import type { HeldPart } from "./containment.ts";

/**
 * The shell that runs a command: bash, a POSIX-only shell (dash, or bash called as `sh`), or any shell, including zsh.
 */
export type RunningShell = "bash" | "sh" | "any";

/** What the judge needs to know about a contained call. */
export interface CallContainment {
  /** What the sandbox holds in which an allowed command will run; missing when there is none. */
  readonly contained?: readonly HeldPart[] | undefined;
  /** True when this file's content could be restored; undefined when that is not known. */
  readonly recoverable?: ((path: string) => boolean | undefined) | undefined;
}

/** An agent's tool call as it arrives at the guard. */
export interface AgentCall {
  readonly tool: string;
  readonly input: unknown;
  /** The agent's working directory, as the agent reports it. */
  readonly cwd?: string | undefined;
  /**
   * The shell that will run the command. `foreign` is a shell the model chose that we cannot parse for. Defaults to
   * bash, as in our own tools.
   */
  readonly shell?: RunningShell | "foreign" | undefined;
}
