import type { EngineSettings, FeatureFlags, WorkMode } from "../../contract/engine-settings.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Permit } from "../../contract/tool.ts";
import type { EngineHooks } from "../engine/hooks.ts";
import type { HostJob } from "../../receipts/host.ts";
import type { SkillSettings } from "../knowledge/skills.ts";
import type { ThinkingEffort } from "../../models/effort.ts";
import type { Model } from "../../models/model.ts";
import type { OtherModels } from "../../models/other-models.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import type { ToolFilter } from "../tools/tool-set.ts";

/** What all conversations of one command have in common. */
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
  /** The user's acceptance check. */
  readonly accept?: string | undefined;
  /** Patterns of more files that decide it, and of files that the task may change. */
  readonly acceptKeep?: readonly string[] | undefined;
  readonly acceptChanged?: readonly string[] | undefined;
  readonly acceptTimeoutMs: number;
  /** Limits of the whole session, with what it used before it was resumed. */
  readonly mostTurns?: number | undefined;
  readonly mostCost?: number | undefined;
  /** How long it may work after this start. */
  readonly timeoutMs?: number | undefined;
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
