import type { AgentCall } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import type { GuardParts } from "../guard/decide-and-record.ts";
import type { Decision } from "../contract/verdict.ts";
import type { HookSettings } from "./hook-settings.ts";
import type { HookResult, RegisteredHook } from "./project/hook-source.ts";

/** What a call of a hook is answered with, from its dialect down to the judge. */
export interface HookContext extends GuardParts {
  readonly settings: HookSettings;
  readonly workspaceOf: (cwd: string) => string;
  readonly policyFor: (workspace: string) => Policy;
  /** The log of this process. Throws when there is none; the call is then denied. */
  readonly audit: () => AuditSegment;
  /** A second judge, of a run that this launch is part of. The stricter of the two counts. */
  readonly alsoJudge?: ((call: AgentCall) => Decision) | undefined;
  /** Runs a hook with what the agent sent, as it came. */
  readonly run: (hook: RegisteredHook) => Promise<HookResult>;
  /** Looks for orders in a text from outside; undefined when there are none. */
  readonly screenText: (text: string) => string | undefined;
  /** Tells the person something, not the agent. */
  readonly warn: (text: string) => void;
}
