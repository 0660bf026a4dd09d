import type { HeldPart } from "./agent-call.ts";
import type { Dialect, HookEventName, ToolBefore } from "./hook-event.ts";
import type { OwnRules } from "./own-rules.ts";

/** How an agent is started. */
export interface PlainStart {
  /** The user's own flags for the agent, and the environment it will run with. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workspace: string;
  readonly cwd: string;
  /** A person is at the terminal, and the agent itself asks whether to trust a folder. */
  readonly interactive: boolean;
}

/** The facts about one agent start that an install needs. */
export interface AgentStart extends PlainStart {
  /** True when the user trusts exactly this file content. */
  readonly trusts: (path: string, text: string) => boolean;
  /** True for settings that contain only what `signalbox stage` writes. */
  readonly staged: (path: string, text: string) => boolean;
}

/** The inputs for installing our hooks into one agent start. */
export interface InstallParts extends AgentStart {
  /** The run's private folder, outside the workspace. */
  readonly folder: string;
  /** The wrapper script that answers a hook. Its arguments: the event name, and `second` for a second hook. */
  readonly wrapper: string;
  /** False for a path that the policy forbids reading. */
  readonly mayRead: (path: string) => boolean;
  /** Every file that the user trusts. */
  readonly trusted: readonly FileHash[];
  /** What `.signalbox/` has for this agent. */
  readonly given?: GivenTexts | undefined;
  /** Set when the agent may load the repository's own settings, because every relevant file is trusted. */
  readonly trustedFiles?: TrustedFiles | undefined;
  /** True when every command of this start will be rewritten to run in our sandbox. */
  readonly contained?: boolean | undefined;
  /** The agent's program, and the user's signalbox folder, where check results are cached. */
  readonly binary: string;
  readonly home: string;
  readonly warn: (text: string) => void;
}

/** A hook command that an agent will start by itself, from an entry in settings that it loads. */
export interface OwnHook {
  readonly event: HookEventName;
  readonly command: string;
  /** The entry is the user's own, not the repository's. */
  readonly own: boolean;
}

/** An agent start with our hooks installed. `end` removes what the agent left behind because of them. */
export interface Installed {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly end?: () => void;
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
  /** The hook commands that the agent will start by itself, besides ours. */
  readonly ownHooks?: (start: PlainStart & { readonly trustedFiles?: TrustedFiles | undefined }) => readonly OwnHook[];
  /** The agent's own rules about commands, from every source that it would read. System files are below `root`. */
  readonly readOwnRules: (start: PlainStart, root?: string) => OwnRules;
  /**
   * How the agent is started when its commands run in our sandbox. Missing where nothing changes. `canEnter`: a program
   * inside the agent's own sandbox can enter ours.
   */
  readonly containedStart?: (start: PlainStart & { readonly canEnter: boolean }, root?: string) => ContainedStart;
}

/** Who contains the commands of a start in a contained session. */
export type ContainedStart =
  /** We do, and the agent is started with these flags instead of the user's. `say` is for the user. */
  | {
      readonly by: "signalbox";
      readonly flags: readonly string[];
      readonly say?: string | undefined;
      /** The agent's own sandbox is off, so the launch must have verified that the agent takes our hooks. */
      readonly needsHooks?: true;
      /** Commands also run in the agent's own sandbox, in which no other can be opened. */
      readonly ownSandbox?: true;
      /** Folders of the workspace on which that sandbox mounts something. Where one is missing, it makes it. */
      readonly mountPoints?: readonly string[];
    }
  /** The agent does, in its own sandbox. Nothing is rewritten. */
  | { readonly by: "agent"; readonly held: readonly HeldPart[]; readonly because: string }
  /** Nobody can. Nothing is rewritten. */
  | { readonly by: "nobody"; readonly because: string; readonly fix: string };

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

/**
 * What one start gives its agent from `.signalbox/` of the repository and of the user's home, in that agent's own words.
 * None of it can start a program.
 */
export interface GivenTexts {
  readonly agents: readonly GivenText[];
  /** Empty for an agent without commands of its own: it gets them as skills. */
  readonly commands: readonly GivenText[];
  readonly skills: readonly GivenText[];
  readonly instructions: readonly GivenInstructions[];
}

/** One agent, command or skill. */
export interface GivenText {
  readonly name: string;
  /** The sub-folder that its file is in, with `/`. Part of a command's name. */
  readonly folder: string;
  readonly description: string;
  /** The keys of its front matter. Only keys that cannot start a program or grant a permission. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The file it was made from. */
  readonly from: string;
  /** True for the user's own, which is outside the workspace. */
  readonly isOwn: boolean;
}

export interface GivenInstructions {
  readonly path: string;
  readonly text: string;
  readonly isOwn: boolean;
}

export type GivenKind = "agents" | "commands" | "skills";
