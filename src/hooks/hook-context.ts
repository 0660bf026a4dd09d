import type { AgentCall } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import type { GuardParts } from "../guard/decide-and-record.ts";
import type { Decision } from "../contract/verdict.ts";
import type { HookSettings } from "./hook-settings.ts";
import type { HookResult, RegisteredHook } from "./project/hook-source.ts";

/** Everything needed to answer a hook call, from its dialect down to the judge. */
export interface HookContext extends GuardParts {
  readonly settings: HookSettings;
  readonly workspaceOf: (cwd: string) => string;
  readonly policyFor: (workspace: string) => Policy;
  /** This process's log. Throws when it cannot be opened; the call is then denied. */
  readonly audit: () => AuditSegment;
  /** A second judge, for the run that this launch belongs to. The stricter decision wins. */
  readonly alsoJudge?: ((call: AgentCall) => Decision) | undefined;
  /** Runs a hook with the agent's input, unchanged. */
  readonly run: (hook: RegisteredHook) => Promise<HookResult>;
  /** Looks for injected instructions in untrusted text; undefined when there are none. */
  readonly screenText: (text: string) => string | undefined;
  /** Warns the user, not the agent. */
  readonly warn: (text: string) => void;
}
