import { homedir } from "node:os";
import { findDialect, findHooksOf } from "../agents/find-dialect.ts";
import type { AgentCall } from "../contract/agent-call.ts";
import type { HookAnswer, ToolBefore } from "../contract/hook-event.ts";
import type { Policy } from "../contract/policy.ts";
import type { AuditEntry, Decision } from "../contract/verdict.ts";
import { decide, decideAndRecord } from "../guard/decide-and-record.ts";
import { explainChoices, explainToModel } from "../guard/explain.ts";
import { isStricter } from "../guard/judge/judge.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { withOrderPolicy } from "../guard/policy/compiled-policy.ts";
import { readTrust } from "../guard/policy/trust.ts";
import { readTaint } from "../guard/taint-store.ts";
import { unsafeWorkspace } from "../lib/path/inside.ts";
import { runningShell } from "../lib/text/shell-words.ts";
import { messageOf } from "../lib/text/user-error.ts";
import type { HookContext, HookSettings } from "./hook-context.ts";

/** The guard's answer to one call, with the decision behind it. */
export interface JudgedCall {
  readonly answer: HookAnswer;
  /** Missing when the call could not be judged, and is denied. */
  readonly decision?: Decision | undefined;
  readonly policy?: Policy | undefined;
}

/**
 * Judges one call: deny, ask or no opinion, never allow. Any error denies. `inside`: the command will run in the
 * session's sandbox if it is allowed.
 */
export function judgeCall(event: ToolBefore, context: HookContext, inside: boolean): JudgedCall {
  try {
    const policy = launchPolicy(event, context);
    // The sandbox runs every command with bash.
    const shell = inside ? "bash" : callShell(event, context.settings);
    const call = { tool: event.tool, input: event.input, cwd: event.cwd, shell };
    const tainted = readTaint(context.settings.folder, event.session) !== undefined;
    const containment = inside
      ? { contained: context.settings.held ?? [], recoverable: context.session?.recoverable }
      : {};
    const world = { ...realMachine, screen: context.screen, tainted, ...containment };
    const { order } = context.settings;
    // Both must agree: an order can forbid more, but never allow more than this machine's policy.
    const ordered = order === undefined ? undefined : decide(call, withOrderPolicy(policy, order), world);
    const record = {
      machine: world,
      session: event.session,
      agent: context.settings.agent,
      append: (entry: AuditEntry) => context.audit().append(entry),
      redact: context.redact,
    };
    const decision = decideAndRecord(call, policy, record);
    const strictest = [ordered, context.alsoJudge?.({ ...call, id: event.id }, containment)].reduce<Decision>(
      (one, other) => (other !== undefined && isStricter(other.verdict, one.verdict) ? other : one),
      decision,
    );
    // Another judge's objection is not one that a rule of this policy answers.
    const judged = strictest === decision ? { call, policy } : undefined;
    return { answer: answerOf(strictest, judged), decision: strictest, policy };
  } catch (error) {
    const because = `Blocked, because signalbox could not judge this call: ${messageOf(error)}`;
    return { answer: { verdict: "deny", because } };
  }
}

function answerOf(decision: Decision, judged: Parameters<typeof explainToModel>[1]): HookAnswer {
  switch (decision.verdict) {
    case "allow":
      return {};
    case "ask":
      // The agent shows this text to the user when it asks for approval.
      return {
        verdict: "ask",
        because: `signalbox asks for your approval: ${decision.because} (rule ${decision.rules.join(", ")}).${explainChoices(decision, judged)}`,
      };
    case "deny":
      return { verdict: "deny", because: explainToModel(decision, judged) };
  }
}

/** The policy that applies to this call. Throws where no call is allowed at all. */
function launchPolicy(event: ToolBefore, { settings, workspaceOf, policyFor }: HookContext): Policy {
  const workspace = settings.workspace ?? workspaceOf(event.cwd ?? process.cwd());
  const wide = unsafeWorkspace(workspace, homedir());
  if (wide !== undefined) throw new Error(wide);
  // The user may have trusted more files since the start.
  const refused = findHooksOf(settings.agent)?.refusal?.(event, settings, () => readTrust(settings.folder));
  if (refused !== undefined) throw new Error(refused);
  return stricterPolicy(policyFor(workspace), settings);
}

const STRICTER = new WeakMap<Policy, { readonly settings: HookSettings; readonly policy: Policy }>();

/** A policy tightened by the launch's settings. Cached, because it carries compiled patterns. */
function stricterPolicy(policy: Policy, settings: HookSettings): Policy {
  const known = STRICTER.get(policy);
  if (known?.settings === settings) return known.policy;
  const stricter = makeStricter(policy, settings);
  STRICTER.set(policy, { settings, policy: stricter });
  return stricter;
}

function makeStricter(policy: Policy, { agent, folder, interactive, deniedTools, closed }: HookSettings): Policy {
  const closedPaths = closed.flatMap((place) => [place, `${place}/**`]);
  return {
    ...policy,
    // Where the agent's hooks cannot ask, nobody can, and the model gets a denial that says what would allow the call.
    interactive: policy.interactive && interactive && findDialect(agent).asks,
    tools: { ...policy.tools, deny: [...policy.tools.deny, ...deniedTools] },
    paths: {
      ...policy.paths,
      denyRead: [...policy.paths.denyRead, ...closedPaths],
      denyWrite: [...policy.paths.denyWrite, ...closedPaths, folder, `${folder}/**`],
    },
  };
}

/** The shell that will run a call's command, if that is certain. Otherwise it may be any shell. */
export function callShell(event: ToolBefore, settings: HookSettings): AgentCall["shell"] {
  const shell = findHooksOf(settings.agent)?.shellOf?.(event, settings);
  if (shell === undefined) return "any";
  const running = runningShell(shell.name);
  return running === "any" && shell.chosenByModel ? "foreign" : running;
}
