import type { AgentCall } from "../contract/agent-call.ts";
import type { Machine } from "../contract/machine.ts";
import type { Policy } from "../contract/policy.ts";
import type { Decision } from "../contract/verdict.ts";
import { asIfTrusted } from "./policy/grants.ts";
import { isStricter, judge, type JudgeExtras } from "./judge/judge.ts";

interface Judged {
  readonly call: AgentCall;
  readonly policy: Policy;
  readonly machine: Machine & JudgeExtras;
}

/** Adds the policy file that would have made a decision less strict, if it is ignored for want of trust. */
export function nameIgnored(decision: Decision, { call, policy, machine }: Judged): Decision {
  const [first] = policy.ignored ?? [];
  if (decision.verdict === "allow" || first === undefined) return decision;
  const trusted = judge(call, asIfTrusted(policy), machine);
  const helps =
    isStricter(decision.verdict, trusted.verdict) ||
    (trusted.verdict === decision.verdict && objections(trusted) < objections(decision));
  if (!helps) return decision;
  const { file, changed } = first;
  return { ...decision, ignored: { file, changed, allows: trusted.verdict === "allow" } };
}

const objections = ({ findings }: Decision) => findings.filter(({ verdict }) => verdict !== "allow").length;
