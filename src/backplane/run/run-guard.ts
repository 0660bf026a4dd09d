import type { Decision } from "../../contract/verdict.ts";
import { explainToModel } from "../../guard/explain.ts";
import { redact, redactJson } from "../../guard/redact/redact.ts";
import type { HeldCall, HostJob } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import type { Approvals } from "./approvals.ts";
import { callKey } from "./call-ledger.ts";
import type { CheckedRun } from "./checked-run.ts";
import { openOrderGuard, type OrderGuard } from "./order-guard.ts";
import { idInRound } from "./round-events.ts";
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
