/**
 * The shell that runs a command: bash, a POSIX-only shell (dash, or bash called as `sh`), or any shell, including zsh.
 */
export type RunningShell = "bash" | "sh" | "any";

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
