import type { AgentEvent } from "../../contract/agent-event.ts";
import type { OrderPolicy } from "../../contract/policy-file.ts";
import type { AuditEntry } from "../../guard/audit/record.ts";
import { decideAndRecord } from "../../guard/decide-and-record.ts";
import { type Decision, judge, type JudgeExtras } from "../../guard/judge.ts";
import { withOrderPolicy } from "../../guard/policy/compile-order.ts";
import { policyHash } from "../../guard/policy/policy-hash.ts";
import type { Policy } from "../../guard/policy/policy.ts";
import { toolKind } from "../../guard/tool-call.ts";
import { isStricter, type Verdict } from "../../guard/verdict.ts";
import type { World } from "../../guard/world.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { HeldCall } from "../host.ts";
import { newEvent } from "../new-event.ts";

interface GuardSetting {
  /** The policy that holds on this machine. */
  readonly policy: Policy;
  /** The rules of the order, in the guard's form. */
  readonly order: OrderPolicy;
  /** Where the work happens. */
  readonly root: string;
  readonly session: string;
  readonly agent: string;
  readonly world: World & JudgeExtras;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

/** The rules of one run, and what was decided under them. */
export interface OrderGuard {
  readonly policyHash: string;
  readonly decide: (call: HeldCall) => Decision;
  /** Looks at what happened. Returns a warning for a call that nobody asked about and that the rules would not allow. */
  readonly see: (event: AgentEvent) => AgentEvent | undefined;
  readonly tally: () => GuardTally;
}

export interface GuardTally {
  readonly decisions: Readonly<Record<Verdict, number>>;
  /** Calls that happened without a question, by tool and id. */
  readonly callsNotHeld: readonly string[];
  /** The last call that was decided was denied: whatever came after it was no tool call that ran. */
  readonly lastDenied: boolean;
}

/** Opens the guard of a run. A call must pass the machine's rules and the order's: neither can widen the other. */
export function openOrderGuard(setting: GuardSetting): OrderGuard {
  const { root, world, session, agent, append, redact } = setting;
  const machine: Policy = { ...setting.policy, workspaceRoot: root, interactive: false, hash: undefined };
  const joined: Policy = { ...withOrderPolicy(machine, setting.order), hash: undefined };
  const decisions: Record<Verdict, number> = { allow: 0, ask: 0, deny: 0 };
  const asked = new Set<string>();
  const callsNotHeld: string[] = [];
  let lastDenied = false;

  const inside = onlyInside(joined);
  const both = (call: HeldCall, second: (policy: Policy) => Decision): Decision => {
    const first = judge(call, machine, world);
    const other = second(toolKind(call.tool) === "shell" ? joined : inside);
    return isStricter(first.verdict, other.verdict) ? first : other;
  };
  return {
    policyHash: policyHash(joined),
    decide(call) {
      const parts = { world, session, agent, append, redact };
      const decision = both({ cwd: root, ...call }, (policy) => decideAndRecord({ cwd: root, ...call }, policy, parts));
      decisions[decision.verdict]++;
      asked.add(call.id ?? keyOf(call.tool, call.input));
      lastDenied = decision.verdict !== "allow";
      return decision;
    },
    see(event) {
      if (event.type === "tool_result") lastDenied = isDenied(event.output);
      if (event.type !== "tool_call") return undefined;
      if (asked.has(event.tool_use_id ?? "") || asked.has(keyOf(event.tool_name, event.input))) return undefined;
      callsNotHeld.push(event.tool_use_id === null ? event.tool_name : `${event.tool_name} ${event.tool_use_id}`);
      const call = { tool: event.tool_name, input: event.input, cwd: root };
      const { verdict, because } = both(call, (policy) => judge(call, policy, world));
      if (verdict === "allow") return undefined;
      return newEvent({ type: "warning", message: `not held back, though not allowed: ${because} (${call.tool})` });
    },
    tally: () => ({ decisions, callsNotHeld, lastDenied }),
  };
}

/** A tool that takes a path works inside the workspace and nowhere else. */
const onlyInside = (policy: Policy): Policy => ({
  ...policy,
  paths: {
    ...policy.paths,
    readRoots: [policy.workspaceRoot],
    writeRoots: [policy.workspaceRoot],
    outsideForTools: "deny",
  },
});

const keyOf = (tool: string, input: unknown) => `${tool} ${canonicalJson(input)}`;

const isDenied = (output: unknown) => isRecord(output) && output["denied"] === true;
