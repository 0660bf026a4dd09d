import type { HeldPart } from "./containment.ts";

/**
 * The shell that runs a command: bash, a POSIX-only shell (dash, or bash called as `sh`), or any shell, including zsh.
 */
export type RunningShell = "bash" | "sh" | "any";

/** What counts as lost at a path: everything, or everything but git's own data and what git ignores. */
export type LossScope = "all" | "unignored";

/** True when what is at a path could be restored; undefined when that is not known. The usual scope is `all`. */
export type Recoverable = (path: string, scope?: LossScope) => boolean | undefined;

/** What the judge needs to know about a contained call. */
export interface CallContainment {
  /** What the sandbox holds in which an allowed command will run; missing when there is none. */
  readonly contained?: readonly HeldPart[] | undefined;
  readonly recoverable?: Recoverable | undefined;
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
