import type { Policy } from "../../contract/policy.ts";
import type { EngineHooks } from "../../engine/hooks.ts";
import type { AskPerson } from "../../contract/tool.ts";
import type { AskUser } from "../../tools/ask-user.ts";
import type { NativeContext } from "./native-context.ts";
import type { NativeSettings } from "./native-settings.ts";
import type { Worktrees } from "./worktrees.ts";
import type { ModeSwitch } from "./work-mode.ts";
import type { NativeTools } from "./native-tools.ts";

/** What the sub-agents of a session work with. */
export interface AgentPlace {
  readonly common: NativeSettings;
  readonly sessionId: string;
  readonly cwd: string;
  readonly policy: Policy;
  readonly context: NativeContext;
  readonly hooks: EngineHooks;
  readonly tools: NativeTools;
  readonly mode: ModeSwitch;
  /** The same person as for the session, with the same queue. */
  readonly askPerson: AskPerson | undefined;
  readonly askUser: AskUser | undefined;
  /** Set where sub-agents that write work in copies of the workspace. */
  readonly worktrees?: Worktrees | undefined;
  /** True in such a copy. */
  readonly isCopy?: boolean | undefined;
}
