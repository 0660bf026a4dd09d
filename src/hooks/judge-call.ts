import { homedir } from "node:os";
import { findHooksOf } from "../agents/find-dialect.ts";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import { decideAndRecord } from "../guard/decide-and-record.ts";
import { explainToModel } from "../guard/explain.ts";
import type { GuardParts } from "../guard/guard-parts.ts";
import { type Decision, judge } from "../guard/judge.ts";
import { withOrderPolicy } from "../guard/policy/compile-order.ts";
import type { Policy } from "../guard/policy/policy.ts";
import { readTrust } from "../guard/policy/trust.ts";
import { messageOf } from "../lib/message-of.ts";
import { tooWide } from "../lib/too-wide.ts";
import { realWorld } from "../guard/real-world.ts";
import type { ToolCall } from "../guard/tool-call.ts";
import { isStricter } from "../guard/verdict.ts";
import { readTaint } from "../guard/taint/taint-store.ts";
import { callShell } from "./call-shell.ts";
import type { HookAnswer } from "../contract/hook-answer.ts";
import type { ToolBefore } from "../contract/hook-event.ts";
import type { HookSettings } from "./hook-settings.ts";
import { stricterPolicy } from "./stricter-policy.ts";

/** What the guard needs to judge a call of an agent. */
export interface JudgeParts extends GuardParts {
  readonly settings: HookSettings;
  readonly workspaceOf: (cwd: string) => string;
  readonly policyFor: (workspace: string) => Policy;
  /** The log of this process. Throws when there is none; the call is then denied. */
  readonly audit: () => AuditSegment;
  /** A second judge, of a run that this launch is part of. The stricter of the two counts. */
  readonly alsoJudge?: SecondJudge | undefined;
}

export type SecondJudge = (call: ToolCall) => Decision;

/** The guard's answer to one call: deny, ask or nothing, never allow. Whatever goes wrong denies. */
export function judgeCall(event: ToolBefore, parts: JudgeParts): HookAnswer & { readonly policy?: Policy } {
  try {
    const policy = launchPolicy(event, parts);
    // In the sandbox every command is run by bash.
    const shell = policy.sandbox === "off" ? callShell(event, parts.settings) : "bash";
    const call = { tool: event.tool, input: event.input, cwd: event.cwd, shell };
    const tainted = readTaint(parts.settings.folder, event.session) !== undefined;
    const world = { ...realWorld, screen: parts.screen, tainted };
    const { order } = parts.settings;
    // Both must agree: an order can forbid, and never widen what this machine allows.
    const ordered = order === undefined ? undefined : judge(call, withOrderPolicy(policy, order), world);
    const decision = decideAndRecord(call, policy, {
      world,
      session: event.session,
      agent: parts.settings.agent,
      append: (entry) => parts.audit().append(entry),
      redact: parts.redact,
    });
    const strictest = [ordered, parts.alsoJudge?.(call)].reduce<Decision>(
      (one, other) => (other !== undefined && isStricter(other.verdict, one.verdict) ? other : one),
      decision,
    );
    return { ...answerOf(strictest), policy };
  } catch (error) {
    return { verdict: "deny", because: `signalbox could not judge this call, so it may not run: ${reason(error)}` };
  }
}

function answerOf(decision: Decision): HookAnswer {
  switch (decision.verdict) {
    case "allow":
      return {};
    case "ask":
      // A person reads this one, in the agent's own question.
      return { verdict: "ask", because: `signalbox asks, because ${decision.because} (${decision.rules.join(", ")}).` };
    case "deny":
      return { verdict: "deny", because: explainToModel(decision) };
  }
}

/** The policy that counts for this call. Throws where nothing may be called at all. */
function launchPolicy(event: ToolBefore, { settings, workspaceOf, policyFor }: JudgeParts): Policy {
  const workspace = settings.workspace ?? workspaceOf(event.cwd ?? process.cwd());
  const wide = tooWide(workspace, homedir());
  if (wide !== undefined) throw new Error(wide);
  // The user may have trusted more since the start.
  const refused = findHooksOf(settings.agent)?.refusal?.(event, settings, () => readTrust(settings.folder));
  if (refused !== undefined) throw new Error(refused);
  return stricterPolicy(policyFor(workspace), settings);
}

export const reason = (error: unknown) => messageOf(error);
