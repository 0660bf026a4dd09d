/** The shell that runs a command: bash, one that only reads POSIX sh (dash, bash called `sh`), or any, zsh included. */
export type RunningShell = "bash" | "sh" | "any";

/** A call of a tool by an agent, as it arrives at the guard. */
export interface AgentCall {
  readonly tool: string;
  readonly input: unknown;
  /** The folder that the agent says it works in. */
  readonly cwd?: string | undefined;
  /** The shell that will run a command; `foreign` is one that the model chose and nobody reads. Without one it is bash, as in our own tools. */
  readonly shell?: RunningShell | "foreign" | undefined;
}
