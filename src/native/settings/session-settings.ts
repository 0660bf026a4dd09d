import type { EngineSettings, FeatureFlags, WorkMode } from "../../contract/engine-settings.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Permit, ToolFilter } from "../../contract/tool.ts";
import type { OtherModels } from "../../models/choose-model.ts";
import type { ThinkingEffort } from "../../models/effort.ts";
import type { Model } from "../../models/model.ts";
import type { HostJob } from "../../receipts/host.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import type { EngineHooks } from "../engine/hooks.ts";
import type { SkillSettings } from "../knowledge/skills.ts";

interface WantedCheck {
  readonly command?: string | undefined;
  /** Patterns of more files that decide it, and of files that the task may change. */
  readonly keep: readonly string[];
  readonly changed: readonly string[];
  readonly timeoutMs: number;
}

/** The user's acceptance check. */
export interface AcceptanceCheck extends WantedCheck {
  readonly command: string;
}

/** What the user has set, once read from flags, environment and files. */
export interface NativeSettings {
  /** Our version. */
  readonly version: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly model: Model;
  /** Other models of the same provider, for sub-agents. */
  readonly otherModels?: OtherModels | undefined;
  /** How much the model thinks. */
  readonly effort: ThinkingEffort;
  readonly settings: EngineSettings;
  readonly policyFor: (cwd: string) => Policy;
  /** The check for this start; a resumed session goes on with its own where something is missing here. */
  readonly check: WantedCheck;
  /** Limits of the whole session, with what it used before it was resumed. */
  readonly limits: {
    readonly turns?: number | undefined;
    readonly cost?: number | undefined;
    /** How long it may work after this start. */
    readonly ms?: number | undefined;
  };
  readonly filters: readonly ToolFilter[];
  /** How many sub-agents may work in copies of the workspace at once; undefined if none of them gets one. */
  readonly worktrees?: number | undefined;
  readonly flags: FeatureFlags;
  /** The mode of a new session; `ask` by default. A resumed one goes on in its own unless this is given. */
  readonly mode?: WorkMode | undefined;
  readonly skillSettings?: SkillSettings | undefined;
  /** Hooks added to a conversation from outside. */
  readonly hooksFor: (place: {
    readonly sessionId: string;
    readonly workspace: string;
    readonly warn: (text: string) => void;
  }) => EngineHooks;
  /** Wraps the guard's decision with others that must also allow a call. */
  readonly guardAlso?: ((permit: Permit, containment: CommandContainment) => Permit) | undefined;
  readonly requireSandbox?: boolean | undefined;
  readonly recovery?: HostJob["recovery"];
  readonly warn: (text: string) => void;
}
