import type { FileHash, StartFacts, TrustedFiles } from "./agent-hooks.ts";

/** One start of an agent, as far as an install needs to know it. */
export interface AgentStart {
  /** The person's own flags for the agent, and the environment that it will have. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workspace: string;
  readonly cwd: string;
  /** A person sits at the terminal, and the agent itself asks whether a folder is trusted. */
  readonly interactive: boolean;
  /** True when exactly this file content is trusted by the user. */
  readonly trusts: (path: string, text: string) => boolean;
  /** True for settings that hold what `signalbox stage` writes and nothing else. */
  readonly staged: (path: string, text: string) => boolean;
}

/** What it takes to put our hooks into one start of an agent. */
export interface InstallParts extends AgentStart {
  /** The private folder of this run, outside the workspace. */
  readonly folder: string;
  /** The wrapper that answers a hook; its only argument is the event. */
  readonly wrapper: string;
  /** False for a path that the policy keeps from being read. */
  readonly mayRead: (path: string) => boolean;
  /** Every file that the user trusts. */
  readonly trusted: readonly FileHash[];
  /** Set when the agent may load the repository's own settings: every file that counts is trusted. */
  readonly trustedFiles?: TrustedFiles | undefined;
  /** The agent's program, and the user's signalbox folder, where results of checks are remembered. */
  readonly binary: string;
  readonly home: string;
  readonly warn: (text: string) => void;
}

/** The agent's start with our hooks in it. `end` removes what the agent left behind because of them. */
export interface Installed {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly end?: () => void;
}

/** A rule of the agent's own that keeps commands back, and where it stands. */
export interface OwnRule {
  readonly rule: string;
  readonly where: string;
}

/** A file of an administrator with which our hooks would not run, or which nobody can read. */
export interface ManagedSwitch {
  readonly file: string;
  readonly state: "off" | "unread";
}

/** How our hooks get into one start of an agent. Loaded only for a guarded start. */
export interface AgentInstall {
  /** Puts our hooks into the start, or refuses when something would switch them off. */
  readonly install: (parts: InstallParts) => Installed | Promise<Installed>;
  /** What of this start must be checked again at each call. */
  readonly factsOf?: (start: AgentStart) => Partial<StartFacts>;
  /**
   * The first deny or ask rule of the agent's own that looks at the text of commands: a rewritten command would pass it by.
   * Whatever cannot be read for certain counts as one. System files are looked up below `root`.
   */
  readonly ownRule: (
    start: Pick<AgentStart, "flags" | "env" | "cwd" | "workspace">,
    root?: string,
  ) => OwnRule | undefined;
  /** True when the agent refuses rewritten commands unless a person sits at the terminal. */
  readonly refusesRewritten?: boolean;
}
