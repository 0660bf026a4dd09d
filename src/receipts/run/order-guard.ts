import type { CallContainment } from "../../contract/agent-call.ts";
import { type AgentEvent, isRefusedByAgent } from "../../contract/agent-event.ts";
import type { Machine } from "../../contract/machine.ts";
import type { OrderPolicy, Policy } from "../../contract/policy.ts";
import type { AuditEntry, Decision, Verdict } from "../../contract/verdict.ts";
import { decide, decideAndRecord, recordDecision } from "../../guard/decide-and-record.ts";
import { explainToModel } from "../../guard/explain.ts";
import { isStricter, judge, type JudgeExtras } from "../../guard/judge/judge.ts";
import { type ToolKind, toolKind } from "../../guard/judge/tool-call.ts";
import { policyHash, withOrderPolicy } from "../../guard/policy/compiled-policy.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import type { Decide, HeldCall } from "../host.ts";

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
  /** Called with every decision before it takes effect. */
  readonly onDecision?: (call: HeldCall, verdict: Verdict) => void;
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
  const { root, world, session, agent, append, redact, onDecision } = setting;
  const ledger = openLedger();
  const alone = rulesOf(setting, false);
  const attended = rulesOf(setting, true);
  const placeOf = (call: HeldCall, containment: CallContainment = {}) => {
    const here = { ...world, ...containment };
    return { placed: { cwd: root, ...call }, here, recording: { machine: here, session, agent, append, redact } };
  };
  const judgeUnder = (rules: Rules, call: HeldCall, containment?: CallContainment): Decision => {
    const { placed, here, recording } = placeOf(call, containment);
    return both(placed, here, rules, (policy) => decideAndRecord(placed, policy, recording));
  };
  /** The decision about a call that only needs an approval, which the user gave in advance; undefined for any other. */
  const approvedBefore = (call: HeldCall, containment?: CallContainment): Decision | undefined => {
    const { placed, here, recording } = placeOf(call, containment);
    const question = both(placed, here, attended, (policy) => decide(placed, policy, here));
    if (question.verdict !== "ask") return undefined;
    const because = `approved in advance: ${question.because}`;
    return recordDecision(placed, alone.joined, { ...recording, decision: { ...question, verdict: "allow", because } });
  };
  const decided = (call: HeldCall, decision: Decision): Decision => {
    ledger.decided(callKey(call), call.tool, decision.verdict);
    onDecision?.(call, decision.verdict);
    return decision;
  };
  return {
    policyHash: policyHash(alone.joined),
    decide(call, containment) {
      const approved = call.isApproved === true ? approvedBefore(call, containment) : undefined;
      return decided(call, approved ?? judgeUnder(alone, call, containment));
    },
    async approve(call, containment, answer) {
      const decision = judgeUnder(attended, call, containment);
      if (decision.verdict !== "ask") return decided(call, decision);
      const settled = await settle(decision, answer);
      ledger.asked();
      return decided(call, settled);
    },
    answered: (call, verdict) => ledger.answered(callKey(call), call.tool, verdict),
    see(event, holds) {
      ledger.see(event);
      if (event.type !== "tool_call" || holds || ledger.isDecided(event)) return undefined;
      const call = { tool: event.tool_name, input: event.input, cwd: root };
      const { verdict, because } = both(call, world, alone, (policy) => judge(call, policy, world));
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

/** The stricter decision of the two: of the machine's rules, and of `second`, which judges under the order's too. */
function both(
  call: HeldCall,
  here: Machine & JudgeExtras,
  { machine, joined, inside }: Rules,
  second: (policy: Policy) => Decision,
): Decision {
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

/** Compares the guard's decisions with what happened. Also rebuilt from the log of a killed run. */
export interface CallLedger {
  readonly decided: (key: string, tool: string, verdict: Verdict) => void;
  /** Counts a question. Its answer is decided with `decided`. */
  readonly asked: () => void;
  /** Hooks have rules of their own, so their answer can be stricter, or given without our decision. */
  readonly answered: (key: string, tool: string, verdict: Verdict) => void;
  readonly see: (event: AgentEvent) => void;
  readonly isDecided: (event: Extract<AgentEvent, { type: "tool_call" }>) => boolean;
  /** `holds` means that this host asks about every call. A request and a call of the same kind are then matched up. */
  readonly counts: (holds: boolean) => GuardCounts;
}

export interface GuardCounts {
  readonly decisions: Readonly<Record<Verdict, number>>;
  /** Calls that ran without a decision or despite a denial, by tool and id. */
  readonly callsNotHeld: readonly string[];
  /** The last decided call was denied, and no tool call ran after it. */
  readonly lastDenied: boolean;
}

export const NO_COUNTS: GuardCounts = { decisions: { allow: 0, ask: 0, deny: 0 }, callsNotHeld: [], lastDenied: false };

/**
 * Identifies a call by its event's id, or else by its content. The same command has the same key in every shell tool.
 */
export function callKey({ tool, input, id }: KnownCall): string {
  if (id !== undefined && id !== null) return id;
  const command = toolKind(tool) === "shell" && isRecord(input) ? input["command"] : undefined;
  return sha256(typeof command === "string" ? `shell ${command}` : `${tool} ${canonicalJson(input)}`);
}

interface KnownCall {
  readonly tool: string;
  readonly input: unknown;
  readonly id?: string | null | undefined;
}

export function openLedger(): CallLedger {
  const decisions: Record<Verdict, number> = { allow: 0, ask: 0, deny: 0 };
  const verdicts = new Map<string, Verdict>();
  const requests: { readonly key: string; readonly kind: ToolKind }[] = [];
  const calls: SeenCall[] = [];
  const keysOf = new Map<string, readonly string[]>();
  const refused = new Set<string>();
  const defiant: string[] = [];
  let lastDenied = false;
  const decided = (key: string, tool: string, verdict: Verdict): void => {
    decisions[verdict]++;
    requests.push({ key, kind: toolKind(tool) });
    verdicts.set(key, verdict);
    lastDenied = verdict !== "allow";
  };
  return {
    decided,
    answered(key, tool, verdict) {
      if (!verdicts.has(key)) return decided(key, tool, verdict);
      const before = verdicts.get(key) ?? "allow";
      if (verdict === "allow") return;
      decisions[before]--;
      decisions[verdict]++;
      verdicts.set(key, verdict);
      lastDenied = true;
    },
    asked: () => void decisions.ask++,
    isDecided: (event) => keysFor(event).some((key) => verdicts.has(key)),
    see(event) {
      if (event.type === "tool_call") {
        const keys = keysFor(event);
        calls.push({ label: labelOf(event), keys, kind: toolKind(event.tool_name) });
        if (event.tool_use_id !== null) keysOf.set(event.tool_use_id, keys);
        // A call that the agent left out is in the trace after a denial that preceded it.
        if (keys.map((key) => verdicts.get(key)).find((verdict) => verdict !== undefined) === "allow")
          lastDenied = false;
      }
      if (event.type !== "tool_result") return;
      const id = event.tool_use_id ?? "";
      if (isRefusedByAgent(event)) refused.add(id);
      const wasDenied = [id, ...(keysOf.get(id) ?? [])].some((key) => (verdicts.get(key) ?? "allow") !== "allow");
      const ran = !event.is_error && !isDenied(event.output);
      if (wasDenied && ran) defiant.push(`${labelOf(event)} (denied, and run)`);
      lastDenied = isDenied(event.output) || (wasDenied && !ran);
    },
    counts(holds) {
      // Computed only now, because an agent may report a call before its hook asks about it.
      const unasked = calls.filter(({ keys }) => !keys.some((key) => verdicts.has(key) || refused.has(key)));
      const reportedKeys = new Set(calls.flatMap(({ keys }) => keys));
      const unmatchedKinds = holds ? requests.filter(({ key }) => !reportedKeys.has(key)).map(({ kind }) => kind) : [];
      const notHeld = unasked.filter(({ kind }) => {
        const at = unmatchedKinds.indexOf(kind);
        if (at !== -1) unmatchedKinds.splice(at, 1);
        return at === -1;
      });
      return { decisions, callsNotHeld: [...notHeld.map(({ label }) => label), ...defiant], lastDenied };
    },
  };
}

const keysFor = ({ tool_name: tool, tool_use_id: id, input }: Extract<AgentEvent, { type: "tool_call" }>) => [
  callKey({ tool, input, id }),
  callKey({ tool, input }),
];

interface SeenCall {
  readonly label: string;
  readonly keys: readonly string[];
  readonly kind: ToolKind;
}

const labelOf = ({
  tool_name: tool,
  tool_use_id: id,
}: {
  readonly tool_name: string;
  readonly tool_use_id: string | null;
}) => (id === null ? tool : `${tool} ${id}`);

const isDenied = (output: unknown) => isRecord(output) && output["denied"] === true;
