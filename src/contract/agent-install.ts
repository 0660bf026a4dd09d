import type { FileHash, StartFacts, TrustedFiles } from "./agent-hooks.ts";

/** The facts about one agent start that an install needs. */
export interface AgentStart {
  /** The user's own flags for the agent, and the environment it will run with. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workspace: string;
  readonly cwd: string;
  /** A person is at the terminal, and the agent itself asks whether to trust a folder. */
  readonly interactive: boolean;
  /** True when the user trusts exactly this file content. */
  readonly trusts: (path: string, text: string) => boolean;
  /** True for settings that contain only what `signalbox stage` writes. */
  readonly staged: (path: string, text: string) => boolean;
}

/** The inputs for installing our hooks into one agent start. */
export interface InstallParts extends AgentStart {
  /** The run's private folder, outside the workspace. */
  readonly folder: string;
  /** The wrapper script that answers a hook; its only argument is the event name. */
  readonly wrapper: string;
  /** False for a path that the policy forbids reading. */
  readonly mayRead: (path: string) => boolean;
  /** Every file that the user trusts. */
  readonly trusted: readonly FileHash[];
  /** Set when the agent may load the repository's own settings, because every relevant file is trusted. */
  readonly trustedFiles?: TrustedFiles | undefined;
  /** The agent's program, and the user's signalbox folder, where check results are cached. */
  readonly binary: string;
  readonly home: string;
  readonly warn: (text: string) => void;
}

/** An agent start with our hooks installed. `end` removes what the agent left behind because of them. */
export interface Installed {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly end?: () => void;
}

/** One of the agent's own rules that blocks commands, and where it is defined. */
export interface OwnRule {
  readonly rule: string;
  readonly where: string;
}

/** An administrator's file that would disable our hooks, or that cannot be read. */
export interface ManagedSwitch {
  readonly file: string;
  readonly state: "off" | "unread";
}

/** Installs our hooks into one agent start. Loaded only for a guarded start. */
export interface AgentInstall {
  /** Installs our hooks, or refuses when something would disable them. */
  readonly install: (parts: InstallParts) => Installed | Promise<Installed>;
  /** The parts of this start that must be checked again on each call. */
  readonly factsOf?: (start: AgentStart) => Partial<StartFacts>;
  /**
   * The first of the agent's own deny or ask rules that matches on command text, because a rewritten command would
   * bypass it.
   * Anything that cannot be read reliably counts as such a rule. System files are looked up below `root`.
   */
  readonly ownRule: (
    start: Pick<AgentStart, "flags" | "env" | "cwd" | "workspace">,
    root?: string,
  ) => OwnRule | undefined;
  /** True when the agent rejects rewritten commands unless a person is at the terminal. */
  readonly refusesRewritten?: boolean;
}
