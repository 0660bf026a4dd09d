import type { CallContainment } from "../../contract/agent-call.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { OrderPolicy, Policy } from "../../contract/policy.ts";
import type { AuditEntry, Decision, Verdict } from "../../contract/verdict.ts";
import { decide, decideAndRecord, recordDecision } from "../../guard/decide-and-record.ts";
import { explainToModel } from "../../guard/explain.ts";
import { judge, type JudgeExtras, isStricter } from "../../guard/judge/judge.ts";
import { withOrderPolicy, policyHash } from "../../guard/policy/compiled-policy.ts";
import { toolKind } from "../../guard/judge/tool-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Decide, HeldCall } from "../host.ts";
import { callKey, type GuardCounts, openLedger } from "./call-ledger.ts";

interface GuardSetting {
  /** This machine's policy. */
  readonly policy: Policy;
  /** The order's rules, in the guard's form. */
  readonly order: OrderPolicy;
  readonly root: string;
  readonly session: string;
  readonly agent: string;
  readonly world: Machine & JudgeExtras;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

/** The rules of one run and the decisions made under them. */
export interface OrderGuard {
  readonly policyHash: string;
  readonly decide: Decide;
  /** Takes note of an answer that was stricter than our decision, or given without it. */
  readonly answered: (call: HeldCall, verdict: Verdict) => void;
  /** Decides with someone to ask: `answer` says whether a call that needs approval may run. */
  readonly approve: (call: HeldCall, containment: CallContainment | undefined, answer: Answer) => Promise<Decision>;
  /** Observes an event. If the host cannot hold calls back, returns why the rules would not allow this call. */
  readonly see: (event: AgentEvent, holds: boolean) => string | undefined;
  readonly counts: (holds: boolean) => GuardCounts;
}

type Answer = (decision: Decision) => Promise<boolean>;

/** Opens a run's guard. A call must pass both the machine's and the order's rules; neither can relax the other. */
export function openOrderGuard(setting: GuardSetting): OrderGuard {
  const { root, world, session, agent, append, redact } = setting;
  const ledger = openLedger();
  const alone = rulesOf(setting, false);
  const attended = rulesOf(setting, true);
  const placeOf = (call: HeldCall, containment: CallContainment = {}) => {
    const here = { ...world, ...containment };
    return { placed: { cwd: root, ...call }, here, parts: { machine: here, session, agent, append, redact } };
  };
  const judgeUnder = (rules: Rules, call: HeldCall, containment?: CallContainment): Decision => {
    const { placed, here, parts } = placeOf(call, containment);
    return both(placed, here, { rules, second: (policy) => decideAndRecord(placed, policy, parts) });
  };
  /** The decision about a call that only needs an approval, which the user gave in advance; undefined for any other. */
  const approvedBefore = (call: HeldCall, containment?: CallContainment): Decision | undefined => {
    const { placed, here, parts } = placeOf(call, containment);
    const question = both(placed, here, { rules: attended, second: (policy) => decide(placed, policy, here) });
    if (question.verdict !== "ask") return undefined;
    const because = `approved in advance: ${question.because}`;
    return recordDecision(placed, alone.joined, { ...parts, decision: { ...question, verdict: "allow", because } });
  };
  return {
    policyHash: policyHash(alone.joined),
    decide(call, containment) {
      const approved = call.isApproved === true ? approvedBefore(call, containment) : undefined;
      const decision = approved ?? judgeUnder(alone, call, containment);
      ledger.decided(callKey(call), call.tool, decision.verdict);
      return decision;
    },
    async approve(call, containment, answer) {
      const decision = judgeUnder(attended, call, containment);
      const settled = decision.verdict === "ask" ? await settle(decision, answer) : decision;
      if (decision.verdict === "ask") ledger.asked();
      ledger.decided(callKey(call), call.tool, settled.verdict);
      return settled;
    },
    answered: (call, verdict) => ledger.answered(callKey(call), call.tool, verdict),
    see(event, holds) {
      ledger.see(event);
      if (event.type !== "tool_call" || holds || ledger.isDecided(event)) return undefined;
      const call = { tool: event.tool_name, input: event.input, cwd: root };
      const second = (policy: Policy) => judge(call, policy, world);
      const { verdict, because } = both(call, world, { rules: alone, second });
      return verdict === "allow" ? undefined : because;
    },
    counts: ledger.counts,
  };
}

/** A caller that fails has not approved anything. */
async function settle(decision: Decision, answer: Answer): Promise<Decision> {
  const approved = await answer(decision).catch(() => false);
  return approved
    ? { ...decision, verdict: "allow" }
    : { ...decision, verdict: "deny", because: explainToModel(decision).replace(/^Needs approval/, "Not approved") };
}

interface Rules {
  readonly machine: Policy;
  readonly joined: Policy;
  readonly inside: Policy;
}

function rulesOf({ policy, root, order }: GuardSetting, interactive: boolean): Rules {
  const machine: Policy = { ...policy, workspaceRoot: root, interactive, hash: undefined };
  const joined: Policy = { ...withOrderPolicy(machine, order), hash: undefined };
  return { machine, joined, inside: onlyInside(joined) };
}

interface SecondOpinion {
  readonly rules: Rules;
  /** Judges under the order's rules too. */
  readonly second: (policy: Policy) => Decision;
}

function both(call: HeldCall, here: Machine & JudgeExtras, { rules, second }: SecondOpinion): Decision {
  const { machine, joined, inside } = rules;
  const first = decide(call, machine, here);
  const other = second(toolKind(call.tool) === "shell" ? joined : inside);
  return isStricter(first.verdict, other.verdict) ? first : other;
}

/** Tools that take a path may only work inside the workspace. */
const onlyInside = (policy: Policy): Policy => ({
  ...policy,
  paths: {
    ...policy.paths,
    readRoots: [policy.workspaceRoot],
    writeRoots: [policy.workspaceRoot],
    outsideForTools: "deny",
  },
});
