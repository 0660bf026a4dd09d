import type { Dialect } from "./dialect.ts";
import type { ToolBefore } from "./hook-event.ts";

/** A file as it was when somebody looked at it. */
export interface FileHash {
  readonly path: string;
  readonly hash: string;
}

/** A repository whose files were all trusted when the agent was started with them. */
export interface TrustedFiles {
  readonly workspace: string;
  readonly folders: readonly string[];
  readonly files: readonly FileHash[];
}

/** Definitions of sub-agents that may start programs, as they were when the agent was started. */
export interface TrustedAgents {
  readonly folders: readonly string[];
  readonly files: readonly FileHash[];
}

/** What was found out about an agent when it was started, and is checked again at each of its calls. */
export interface StartFacts {
  /** Files that could switch our hooks off; while one does, nothing may happen. */
  readonly switches: readonly string[];
  /** Sub-agents that may be called. One that names servers must be trusted first. */
  readonly trustedAgents?: TrustedAgents | undefined;
  /** What of the repository was trusted at the start; once something has changed, nothing may happen. */
  readonly trustedFiles?: TrustedFiles | undefined;
  /** Set when the launch made the agent run its commands in bash. */
  readonly shell?: "bash" | undefined;
  /** True where an `allow` of ours would override deny rules of the agent's own. */
  readonly neverAllow?: boolean | undefined;
}

/** The shell that will run a command. */
export interface CallShell {
  readonly name: string;
  readonly chosenByModel: boolean;
}

/** What answering an agent's hooks takes. It is part of the hook bundle, so it must stay small. */
export interface AgentHooks {
  readonly dialect: Dialect;
  /** The shell that will run a call's command; undefined when that is not certain. */
  readonly shellOf?: (event: ToolBefore, facts: Pick<StartFacts, "shell">) => CallShell | undefined;
  /** Why this call must not run, given what changed since the start. `trusted` reads what the user trusts now. */
  readonly refusal?: (event: ToolBefore, facts: StartFacts, trusted: () => readonly FileHash[]) => string | undefined;
  /** True when the agent above this process was started with flags that deny tools. For sessions that we did not launch. */
  readonly deniesTools?: (pid: number) => boolean;
}
