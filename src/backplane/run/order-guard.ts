import type { AgentEvent } from "../../contract/agent-event.ts";
import type { OrderPolicy } from "../../contract/policy-file.ts";
import type { AuditEntry } from "../../contract/audit-entry.ts";
import { decideAndRecord } from "../../guard/decide-and-record.ts";
import type { Decision } from "../../contract/verdict.ts";
import { judge, type JudgeExtras, isStricter } from "../../guard/judge/judge.ts";
import { withOrderPolicy, policyHash } from "../../guard/policy/compiled-policy.ts";
import type { Policy } from "../../contract/policy.ts";
import { toolKind } from "../../guard/judge/tool-kind.ts";
import type { Machine } from "../../contract/machine.ts";
import type { HeldCall } from "../host.ts";
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
  readonly decide: (call: HeldCall) => Decision;
  /** Observes an event. If the host cannot hold calls back, returns why the rules would not allow this call. */
  readonly see: (event: AgentEvent, holds: boolean) => string | undefined;
  readonly counts: (holds: boolean) => GuardCounts;
}

/** Opens a run's guard. A call must pass both the machine's and the order's rules; neither can relax the other. */
export function openOrderGuard(setting: GuardSetting): OrderGuard {
  const { root, world, session, agent, append, redact } = setting;
  const machine: Policy = { ...setting.policy, workspaceRoot: root, interactive: false, hash: undefined };
  const joined: Policy = { ...withOrderPolicy(machine, setting.order), hash: undefined };
  const ledger = openLedger();
  const inside = onlyInside(joined);
  const both = (call: HeldCall, second: (policy: Policy) => Decision): Decision => {
    const first = judge(call, machine, world);
    const other = second(toolKind(call.tool) === "shell" ? joined : inside);
    return isStricter(first.verdict, other.verdict) ? first : other;
  };
  return {
    policyHash: policyHash(joined),
    decide(call) {
      const parts = { machine: world, session, agent, append, redact };
      const decision = both({ cwd: root, ...call }, (policy) => decideAndRecord({ cwd: root, ...call }, policy, parts));
      ledger.decided(callKey(call), call.tool, decision.verdict);
      return decision;
    },
    see(event, holds) {
      ledger.see(event);
      if (event.type !== "tool_call" || holds) return undefined;
      const call = { tool: event.tool_name, input: event.input, cwd: root };
      const { verdict, because } = both(call, (policy) => judge(call, policy, world));
      return verdict === "allow" ? undefined : because;
    },
    counts: ledger.counts,
  };
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
