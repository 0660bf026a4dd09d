import type { Containment } from "../../contract/agent-call.ts";
import type { GivenTexts, Installed } from "../../contract/agent-install.ts";
import type { ContainmentFacts } from "../../contract/seal.ts";
import type { OrderPolicy, Policy } from "../../contract/policy.ts";
import type { SnapshotSession } from "../../snapshots/open-session.ts";
import type { WrapperParts } from "../client/wrappers.ts";
import type { HookContext } from "../hook-context.ts";

/** Says what could be restored if a command deleted it now; told when commands run. */
export type SessionRecovery = Pick<SnapshotSession, "recoverable" | "began" | "ended">;

/** A request to start an agent with guarded tool calls. */
export interface GuardedStart {
  /** The agent's name. */
  readonly agent: string;
  readonly binary: string;
  /** The private folder of this run. */
  readonly folder: string;
  readonly cwd: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** True when a person is at the terminal and can approve calls. */
  readonly interactive: boolean;
  readonly deniedTools: readonly string[];
  /** Refuses to start where commands cannot be contained. */
  readonly requireSandbox?: boolean | undefined;
  /** The id of the launch or run, by which its snapshot can be restored. */
  readonly id: string;
  /** What could be restored, where the caller has taken a snapshot itself. */
  readonly recovery?: SessionRecovery | undefined;
  /** Flags that depend on whether commands are contained, instead of `flags`. */
  readonly flagsWhen?: ((contained: boolean) => readonly string[]) | undefined;
  /** The rules of a work order, and a second judge for its calls. */
  readonly order?: OrderPolicy | undefined;
  readonly alsoJudge?: HookContext["alsoJudge"];
  readonly answered?: HookContext["answered"];
  readonly watch?: HookContext["watch"];
  /** True for settings that contain only what `signalbox stage` writes; these need no trust. */
  readonly staged?: ((path: string, text: string) => boolean) | undefined;
  /** What `.signalbox/` has for this agent. */
  readonly texts?: ((place: TextsPlace) => GivenTexts | undefined) | undefined;
  readonly warn: (text: string) => void;
  /** For proofs only: can inject a fault before the agent starts or while it runs. */
  readonly onInstalled?: ((hooks: InstalledHooks) => void) | undefined;
}

/** Where the texts for an agent are read. */
export interface TextsPlace {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly mayRead: (path: string) => boolean;
  /** Whether the user trusts a file with this content. */
  readonly trusts: (path: string, text: string) => boolean;
  readonly warn: (text: string) => void;
}

/** What a proof can tamper with. Only reachable from our own code, not through a variable or a file. */
export interface InstalledHooks {
  readonly wrapper: string;
  /** The parts that the wrapper was built from. */
  readonly parts: WrapperParts;
  /** The wrapper's text with some parts replaced. */
  readonly wrapperWith: (changed: Partial<WrapperParts>) => string;
  readonly stopServer: () => void;
  /** Where the agent's commands will run. */
  readonly containment: Containment;
}

/** A start with our hooks installed, which are answered until it is disposed. */
export interface Guard extends Installed, AsyncDisposable {
  /** Loads the code that answers hooks. Until then, or if that fails, the wrappers ask the bundle. */
  readonly load: () => Promise<void>;
  /** True once the agent has called a hook. An agent that never does was not guarded. */
  readonly heard: () => boolean;
  /** The agent's id of the conversation with its person, once there is one. */
  readonly conversation?: (() => string | undefined) | undefined;
  /** The policy that its calls are judged by. */
  readonly policy: Policy;
  /** The snapshot from before the session, if one is taken beside it. */
  readonly snapshot?: SnapshotSession["ready"] | undefined;
  /** Where the agent's commands run, for the receipt. */
  readonly containment?: (() => ContainmentFacts) | undefined;
}
