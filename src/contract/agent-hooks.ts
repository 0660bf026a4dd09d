import type { Dialect } from "./dialect.ts";
import type { ToolBefore } from "./hook-event.ts";

/** A file's state at the moment it was read. */
export interface FileHash {
  readonly path: string;
  readonly hash: string;
}

/** A repository whose files were all trusted when the agent was started. */
export interface TrustedFiles {
  readonly workspace: string;
  readonly folders: readonly string[];
  readonly files: readonly FileHash[];
}

/** Definitions of sub-agents that can start programs, as they were when the agent was started. */
export interface TrustedAgents {
  readonly folders: readonly string[];
  readonly files: readonly FileHash[];
}

/** What we learned about an agent at launch and check again on each of its calls. */
export interface StartFacts {
  /** Files that could disable our hooks. While one of them does, every call is denied. */
  readonly switches: readonly string[];
  /** Sub-agents that may be called. One that names MCP servers must be trusted first. */
  readonly trustedAgents?: TrustedAgents | undefined;
  /** The repository files that were trusted at launch. Once one has changed, every call is denied. */
  readonly trustedFiles?: TrustedFiles | undefined;
  /** Set when the launch forced the agent to run its commands in bash. */
  readonly shell?: "bash" | undefined;
  /** True where our `allow` would override the agent's own deny rules. For a contained call, we hold those ourselves. */
  readonly neverAllow?: boolean | undefined;
}

/** The shell that will run a command. */
export interface CallShell {
  readonly name: string;
  readonly chosenByModel: boolean;
}

/** What is needed to answer an agent's hooks. Part of the hook bundle, so it must stay small. */
export interface AgentHooks {
  readonly dialect: Dialect;
  /** The shell that will run the call's command; undefined when we cannot be sure. */
  readonly shellOf?: (event: ToolBefore, facts: Pick<StartFacts, "shell">) => CallShell | undefined;
  /** Why this call must not run, given what changed since launch. `trusted` returns what the user trusts now. */
  readonly refusal?: (event: ToolBefore, facts: StartFacts, trusted: () => readonly FileHash[]) => string | undefined;
  /** True when the agent process above us was started with flags that deny tools. For sessions we did not launch. */
  readonly deniesTools?: (pid: number) => boolean;
  /** Wrappers that are staged for another agent, and that this one runs as well after its own. Paths in the repository. */
  readonly alsoRuns?: readonly string[];
}
