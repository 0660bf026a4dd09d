import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { addUsage, Usage } from "../../contract/receipt.ts";
import type { Decision } from "../../contract/verdict.ts";
import { explainToModel } from "../../guard/explain.ts";
import { redact, redactJson } from "../../guard/redact.ts";
import type { HeldCall, HostJob } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { callKey } from "./call-ledger.ts";
import type { CheckedRun } from "./checked-run.ts";
import { openOrderGuard, type OrderGuard } from "./order-guard.ts";
import type { RunParts } from "./run-parts.ts";
import { openTraceCalls, type TraceCalls } from "./trace-calls.ts";

export interface PlacedRun extends CheckedRun {
  readonly workspace: OpenedWorkspace;
}

/** A run whose calls are judged and traced. */
export interface GuardedRun extends PlacedRun {
  readonly guard: OrderGuard;
  readonly calls: TraceCalls;
}

/** Opens the run's guard. Decisions are logged before they take effect. */
export function openGuard(run: PlacedRun, parts: RunParts): GuardedRun {
  const guard = openOrderGuard({
    policy: parts.policy,
    order: run.rules,
    root: run.workspace.workspace.root,
    session: run.header.run_id,
    agent: run.header.agent,
    world: parts.world,
    append: (entry) => run.audit.append(entry),
    redact: (text) => redact(text, parts.secrets).text,
  });
  run.log.append({ t: "policy", policy_sha256: guard.policyHash });
  const decide: OrderGuard["decide"] = (call, containment) => {
    const decision = guard.decide(call, containment);
    run.log.append({ t: "decision", verdict: decision.verdict, call: callKey(call), tool: call.tool });
    return decision;
  };
  const approve: OrderGuard["approve"] = async (call, containment, answer) => {
    const decision = await guard.approve(call, containment, answer);
    run.log.append({ t: "decision", verdict: decision.verdict, call: callKey(call), tool: call.tool });
    return decision;
  };
  return { ...run, guard: { ...guard, decide, approve }, calls: openTraceCalls() };
}

type Questions = Pick<HostJob, "decide" | "judge" | "answered" | "approve">;

/** What a host may ask. Every judged call is logged, so that the receipt of a killed run has it too. */
export function questionsOf({ guard, calls, log, secrets, round }: GuardedRun, ask: Approvals["ask"]): Questions {
  const record: HostJob["answered"] = ({ tool, input = null, id }, { verdict, because }) => {
    const told = {
      tool,
      input: redactJson(input, secrets) ?? null,
      id,
      verdict,
      because: redact(because, secrets).text,
    };
    log.append({ t: "judged", ...told });
    calls.judged({ tool, input, id }, { verdict, because });
  };
  const known = (call: HeldCall): HeldCall => ({ ...call, id: idInRound(call.id, round) });
  return {
    judge: (call, containment) => guard.decide(known(call), containment),
    decide(asked, containment) {
      const call = known(asked);
      const decision = inWords(guard.decide(call, containment));
      record(call, decision);
      return decision;
    },
    answered(asked, answer) {
      const call = known(asked);
      guard.answered(call, answer.verdict);
      record(call, answer);
    },
    approve:
      ask &&
      (async (asked, containment) => {
        const call = known(asked);
        const decision = inWords(await guard.approve(call, containment, ({ because }) => ask(call, because)));
        record(call, decision);
        return decision;
      }),
  };
}

/** A decision that says what was blocked, and not only why: the host passes it on to its agent. */
const inWords = (decision: Decision): Decision =>
  decision.verdict === "allow" ? decision : { ...decision, because: explainToModel(decision) };

/** Asks the caller of a run about calls that need approval. */
interface Approvals {
  /** Undefined when nobody answers. */
  readonly ask: ((call: HeldCall, because: string) => Promise<boolean>) | undefined;
  /** What was answered since the last time, for the trace. */
  readonly take: () => readonly AgentEvent[];
}

interface AskingRun {
  readonly runId: string;
  readonly root: string;
  readonly signal: AbortSignal;
}

export function openApprovals(run: AskingRun, onApproval: RunParts["onApproval"]): Approvals {
  if (onApproval === undefined) return { ask: undefined, take: () => [] };
  const answers: AgentEvent[] = [];
  const { runId, root, signal } = run;
  return {
    take: () => answers.splice(0),
    async ask({ tool, input, id = null }, because) {
      const answer = await onApproval({ runId, tool, input, root, because });
      const approved = answer === true && !signal.aborted;
      const message = `${approved ? "approved" : "not approved"} by the caller: ${tool} (${because})`;
      answers.push(newEvent({ type: "warning", message, ext: { approval: { tool, tool_use_id: id, approved } } }));
      return approved;
    },
  };
}

/** What the rounds before have counted. */
interface CountsBefore {
  readonly round: number | undefined;
  readonly turns: number;
  readonly used: Usage;
}

/**
 * An event of a later round in the terms of the whole run. A host that is started again begins its counts, and often the
 * ids of its calls, anew.
 */
export function eventOfRun(event: AgentEvent, { round, turns, used }: CountsBefore): AgentEvent {
  if (round === undefined || round === 1) return event;
  const counted = { ...event, ...extOfRun(event.ext, turns, used) };
  if (counted.type === "tool_result") return { ...counted, tool_use_id: idOfEvent(counted.tool_use_id, round) };
  if (counted.type !== "tool_call") return counted;
  const { tool_use_id: id, parent_tool_use_id: parent } = counted;
  return { ...counted, tool_use_id: idOfEvent(id, round), parent_tool_use_id: idOfEvent(parent, round) };
}

function extOfRun(ext: AgentEvent["ext"], turns: number, used: Usage): Pick<AgentEvent, "ext"> {
  const { turn, usage } = ext ?? {};
  const counted = Usage.safeParse(usage);
  const total = usage !== undefined && counted.success ? { usage: addUsage(used, counted.data) } : {};
  return { ext: { ...ext, ...(typeof turn === "number" ? { turn: turn + turns } : {}), ...total } };
}

const idOfEvent = (id: string | null, round: number): string | null => idInRound(id ?? undefined, round) ?? null;

/** The id of a call in the whole run. */
const idInRound = (id: string | undefined, round = 1): string | undefined =>
  id === undefined || round === 1 ? id : `${id}#${round}`;
