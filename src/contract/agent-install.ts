import type { FileHash, StartFacts, TrustedFiles } from "./agent-hooks.ts";
import type { HookEventName } from "./hook-event.ts";
import type { HeldPart } from "./containment.ts";
import type { GivenTexts } from "./given-texts.ts";
import type { OwnRules } from "./own-rules.ts";

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
  readonly ownHooks?: (start: OwnRulesStart & Pick<InstallParts, "trustedFiles">) => readonly OwnHook[];
  /** The agent's own rules about commands, from every source that it would read. System files are below `root`. */
  readonly readOwnRules: (start: OwnRulesStart, root?: string) => OwnRules;
  /**
   * How the agent is started when its commands run in our sandbox. Missing where nothing changes. `canEnter`: a program
   * inside the agent's own sandbox can enter ours.
   */
  readonly containedStart?: (start: OwnRulesStart & { readonly canEnter: boolean }, root?: string) => ContainedStart;
}

export type OwnRulesStart = Pick<AgentStart, "flags" | "env" | "cwd" | "workspace" | "interactive">;

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
    }
  /** The agent does, in its own sandbox. Nothing is rewritten. */
  | { readonly by: "agent"; readonly held: readonly HeldPart[]; readonly because: string }
  /** Nobody can. Nothing is rewritten. */
  | { readonly by: "nobody"; readonly because: string; readonly fix: string };
