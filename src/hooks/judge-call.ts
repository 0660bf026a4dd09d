import { homedir } from "node:os";
import { findHooksOf } from "../agents/find-dialect.ts";
import type { HookAnswer } from "../contract/hook-answer.ts";
import type { ToolBefore } from "../contract/hook-event.ts";
import type { Policy } from "../contract/policy.ts";
import type { Decision } from "../contract/verdict.ts";
import { decideAndRecord } from "../guard/decide-and-record.ts";
import { explainToModel } from "../guard/explain.ts";
import { isStricter, judge } from "../guard/judge/judge.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { withOrderPolicy } from "../guard/policy/compiled-policy.ts";
import { readTrust } from "../guard/policy/trust.ts";
import { readTaint } from "../guard/taint/taint-store.ts";
import { messageOf } from "../lib/message-of.ts";
import { unsafeWorkspace } from "../lib/unsafe-workspace.ts";
import { callShell } from "./call-shell.ts";
import type { HookContext } from "./hook-context.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The guard's answer to one call: deny, ask or no opinion, never allow. Any error denies. */
export function judgeCall(event: ToolBefore, context: HookContext): HookAnswer & { readonly policy?: Policy } {
  try {
    const policy = launchPolicy(event, context);
    // The sandbox runs every command with bash.
    const shell = policy.sandbox === "off" ? callShell(event, context.settings) : "bash";
    const call = { tool: event.tool, input: event.input, cwd: event.cwd, shell };
    const tainted = readTaint(context.settings.folder, event.session) !== undefined;
    const world = { ...realMachine, screen: context.screen, tainted };
    const { order } = context.settings;
    // Both must agree: an order can forbid more, but never allow more than this machine's policy.
    const ordered = order === undefined ? undefined : judge(call, withOrderPolicy(policy, order), world);
    const decision = decideAndRecord(call, policy, {
      machine: world,
      session: event.session,
      agent: context.settings.agent,
      append: (entry) => context.audit().append(entry),
      redact: context.redact,
    });
    const strictest = [ordered, context.alsoJudge?.(call)].reduce<Decision>(
      (one, other) => (other !== undefined && isStricter(other.verdict, one.verdict) ? other : one),
      decision,
    );
    return { ...answerOf(strictest), policy };
  } catch (error) {
    return { verdict: "deny", because: `Blocked, because signalbox could not judge this call: ${messageOf(error)}` };
  }
}

function answerOf(decision: Decision): HookAnswer {
  switch (decision.verdict) {
    case "allow":
      return {};
    case "ask":
      // The agent shows this text to the user when it asks for approval.
      return {
        verdict: "ask",
        because: `signalbox asks for your approval: ${decision.because} (rule ${decision.rules.join(", ")}).`,
      };
    case "deny":
      return { verdict: "deny", because: explainToModel(decision) };
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

function makeStricter(policy: Policy, { folder, interactive, deniedTools, closed }: HookSettings): Policy {
  const closedPaths = closed.flatMap((place) => [place, `${place}/**`]);
  return {
    ...policy,
    interactive: policy.interactive && interactive,
    tools: { ...policy.tools, deny: [...policy.tools.deny, ...deniedTools] },
    paths: {
      ...policy.paths,
      denyRead: [...policy.paths.denyRead, ...closedPaths],
      denyWrite: [...policy.paths.denyWrite, ...closedPaths, folder, `${folder}/**`],
    },
  };
}
