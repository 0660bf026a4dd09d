import type { AgentCall, CallContainment } from "../contract/agent-call.ts";
import type { OwnRules } from "../contract/own-rules.ts";
import type { Need } from "../contract/containment.ts";
import type { Policy } from "../contract/policy.ts";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import type { GuardParts } from "../guard/decide-and-record.ts";
import type { ContainedSession } from "../sandbox/contained-session.ts";
import type { Decision } from "../contract/verdict.ts";
import type { HookSettings } from "./hook-settings.ts";
import type { HookResult, RegisteredHook } from "./project/hook-source.ts";

/** The parts of a launch's sandbox that a judged call needs. */
interface SessionContainment extends Pick<CallContainment, "recoverable"> {
  /** Prepares to lend what a command needs; returns the words that go in front of it. */
  readonly lend: (needs: readonly Need[], command: string) => Promise<readonly string[]>;
  /** Called with the agent's id of the conversation that a call belongs to. */
  readonly saw: (session: string) => void;
  /** Settles when it is known what could be restored. */
  readonly ready: Promise<unknown>;
  /** Called around every call that may change files. */
  readonly began: (call: string) => void;
  readonly ended: (call: string) => void;
  /** What the sandbox has refused since the last call, for the output of the command that has just ended. */
  readonly takeNotes: ContainedSession["takeNotes"];
  readonly noteCaller: ContainedSession["noteCaller"];
  /** Records a command that runs outside. */
  readonly noteOutside: (command: string) => void;
}

/** A call with the id that the agent's own records have for it, if its hooks report one. */
interface ReportedCall extends AgentCall {
  readonly id?: string | undefined;
}

/** Everything needed to answer a hook call, from its dialect down to the judge. */
export interface HookContext extends GuardParts {
  readonly settings: HookSettings;
  readonly workspaceOf: (cwd: string) => string;
  readonly policyFor: (workspace: string) => Policy;
  /** This process's log. Throws when it cannot be opened; the call is then denied. */
  readonly audit: () => AuditSegment;
  /** A second judge, for the run that this launch belongs to. The stricter decision wins. */
  readonly alsoJudge?: ((call: ReportedCall, containment: CallContainment) => Decision) | undefined;
  /** Called once for every call, with the call as the model made it and our final answer. */
  readonly answered?: ((call: ReportedCall, answer: Pick<Decision, "verdict" | "because">) => void) | undefined;
  /** What only the process of the launch can do about its sandbox. */
  readonly session?: SessionContainment | undefined;
  /** Called with the agent's id of the conversation in which its person's prompts are answered. */
  readonly talked?: ((session: string) => void) | undefined;
  /** Where a second hook asks, because the first one cannot both rewrite a command and ask. */
  readonly questions?: { readonly hold: (command: string, because: string) => void } | undefined;
  /** The agent's own rules as they are now. Without it, those of the settings count, as long as nothing has changed. */
  readonly ownRules?: (() => OwnRules) | undefined;
  /** Runs a hook with the agent's input, unchanged. */
  readonly run: (hook: RegisteredHook) => Promise<HookResult>;
  /** Looks for injected instructions in untrusted text; undefined when there are none. */
  readonly screenText: (text: string) => string | undefined;
  /** Warns the user, not the agent. */
  readonly warn: (text: string) => void;
}
