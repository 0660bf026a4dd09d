import type { ProjectHold } from "./project-hold.ts";

/** What it takes to put our hooks into one start of an agent. */
export interface ArmParts {
  /** The private folder of this run, outside the workspace. */
  readonly folder: string;
  /** The wrapper that answers a hook; its only argument is the event. */
  readonly wrapper: string;
  /** The person's own flags for the agent, and the environment that it will have. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workspace: string;
  readonly cwd: string;
  /** True when exactly this file content is trusted by the user. */
  readonly trusts: (path: string, text: string) => boolean;
  /** True for settings that hold what `signalbox stage` writes and nothing else. */
  readonly staged: (path: string, text: string) => boolean;
  /** False for a path that the policy keeps from being read. */
  readonly mayRead: (path: string) => boolean;
  /** Set when Claude Code may load the repository's own settings: every file that counts is trusted. */
  readonly hold?: ProjectHold | undefined;
  /** A person sits at the terminal: the agent asks him itself whether he trusts a folder. */
  readonly interactive: boolean;
  /** The agent's program, and the user's signalbox folder, for what is found out once and remembered. */
  readonly binary: string;
  readonly home: string;
  readonly warn: (text: string) => void;
}

/** The agent's start with our hooks in it. `end` brings back what the agent changed in a private home. */
export interface Armed {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly end?: () => void;
}

/** Puts our hooks into one start of an agent, or refuses when something would switch them off. */
export type Arm = (parts: ArmParts) => Armed | Promise<Armed>;

/** Seconds that an agent waits for our wrapper; the wrapper's own patience is well below. */
export const AGENT_SECONDS = 60;
