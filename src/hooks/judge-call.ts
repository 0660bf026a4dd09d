import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import { decideAndRecord, type GuardParts } from "../guard/decide-and-record.ts";
import { explainToModel } from "../guard/explain.ts";
import type { Decision } from "../contract/verdict.ts";
import { judge, isStricter } from "../guard/judge/judge.ts";
import { withOrderPolicy } from "../guard/policy/compiled-policy.ts";
import type { Policy } from "../contract/policy.ts";
import { readTrust } from "../guard/policy/trust.ts";
import { messageOf } from "../lib/message-of.ts";
import { tooWide } from "../lib/too-wide.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import type { AgentCall } from "../contract/agent-call.ts";
import { readTaint } from "../guard/taint/taint-store.ts";
import { callShell } from "./call-shell.ts";
import { type AgentHold, callsAgent, strangeAgent } from "./guarded/copilot-agents.ts";
import { disarmingFile } from "./guarded/copilot-switches.ts";
import { foldersUp } from "./guarded/folders-up.ts";
import { changedSince, nestedBeside, type ProjectHold } from "./guarded/project-hold.ts";
import type { HookAnswer } from "./hook-answer.ts";
import type { ToolBefore } from "./hook-event.ts";
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

export type SecondJudge = (call: AgentCall) => Decision;

/** The guard's answer to one call: deny, ask or nothing, never allow. Whatever goes wrong denies. */
export function judgeCall(event: ToolBefore, parts: JudgeParts): HookAnswer & { readonly policy?: Policy } {
  try {
    const policy = launchPolicy(event, parts);
    // In the sandbox every command is run by bash.
    const shell = policy.sandbox === "off" ? callShell(event, parts.settings) : "bash";
    const call = { tool: event.tool, input: event.input, cwd: event.cwd, shell };
    const tainted = readTaint(parts.settings.folder, event.session) !== undefined;
    const world = { ...realMachine, screen: parts.screen, tainted };
    const { order } = parts.settings;
    // Both must agree: an order can forbid, and never widen what this machine allows.
    const ordered = order === undefined ? undefined : judge(call, withOrderPolicy(policy, order), world);
    const decision = decideAndRecord(call, policy, {
      machine: world,
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
function launchPolicy({ cwd, tool, input }: ToolBefore, { settings, workspaceOf, policyFor }: JudgeParts): Policy {
  const workspace = settings.workspace ?? workspaceOf(cwd ?? process.cwd());
  const wide = tooWide(workspace, homedir());
  if (wide !== undefined) throw new Error(wide);
  const off = disarmingFile(settings.switches);
  if (off !== undefined) throw new Error(`${off} switches hooks off; take disableAllHooks out of it`);
  if (settings.agents !== undefined && callsAgent(tool, input)) refuseStrange(settings.agents, settings.folder, cwd);
  if (settings.hold !== undefined) refuseChanged(settings.hold, input, cwd ?? workspace);
  return stricterPolicy(policyFor(workspace), settings);
}

/** The user may have trusted it since the start. */
function refuseStrange(agents: AgentHold, home: string, cwd: string | undefined): void {
  const here = cwd !== undefined && existsSync(cwd) ? foldersUp(cwd, cwd) : [];
  const file = strangeAgent({ ...agents, folders: [...agents.folders, ...here] }, readTrust(home));
  if (file !== undefined)
    throw new Error(`${file} may start programs and is not trusted; the user can read it, then run: signalbox trust`);
}

function refuseChanged(hold: ProjectHold, input: unknown, cwd: string): void {
  const changed = changedSince(hold);
  if (changed !== undefined)
    throw new Error(
      `${changed} has come or changed during this session and may start programs; ask the user to read it`,
    );
  const nested = nestedBeside(hold, input, cwd);
  if (nested !== undefined) throw new Error(`${nested} is not trusted, and the agent would load it with this file`);
}

export const reason = (error: unknown) => messageOf(error);
