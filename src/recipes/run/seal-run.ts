import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Policy } from "../../contract/policy.ts";
import type { SealFacts } from "../../contract/seal.ts";
import { policyHash } from "../../guard/policy/compiled-policy.ts";
import { say } from "../../lib/process/standard-streams.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { sealSummary } from "../../receipts/seal/store-receipt.ts";
import type { RecipeEvent } from "./run-parts.ts";
import type { RecipeEnd } from "./run-recipe.ts";
import type { StepResult } from "./step-result.ts";

const MAX_OUTPUT = 2000;
const MAX_EVENTS = 5000;

/** Collects the events of a run for its receipt, and passes them on. */
export function traceOf(show: (event: RecipeEvent) => void) {
  const events: AgentEvent[] = [];
  return {
    events,
    report: (event: RecipeEvent): void => {
      if (events.length < MAX_EVENTS) events.push(toAgentEvent(event));
      show(event);
    },
  };
}

/** The events of a run of which only the results are known. */
export const eventsOf = (results: readonly StepResult[]): readonly AgentEvent[] =>
  results
    .slice(0, MAX_EVENTS)
    .map((result) =>
      toAgentEvent({ type: "step-end", key: result.step_id, end: { result, values: {} }, isReused: false }),
    );

function toAgentEvent(event: RecipeEvent): AgentEvent {
  if (event.type === "warning") return newEvent({ type: "warning", message: event.message });
  const tool = { tool_name: "recipe-step", tool_use_id: event.key };
  if (event.type === "step-start") return newEvent({ type: "tool_call", ...tool, input: { type: event.kind } });
  const { status, output, error } = event.end.result;
  return newEvent({
    type: "tool_result",
    ...tool,
    output: { status, output: output.slice(0, MAX_OUTPUT), error: error.slice(0, MAX_OUTPUT), reused: event.isReused },
    is_error: status === "failed" || status === "blocked",
  });
}

/** What the receipt of a run says besides its result. */
interface RunFacts {
  readonly runId: string;
  /** The run that this one continues, or itself. */
  readonly workId: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly trace: readonly AgentEvent[];
  /** Runs of the agent steps. */
  readonly receipts: readonly string[];
  readonly because: string;
  /** The program that ran the recipe instead of us. Its commands were not judged, so it is not guarded. */
  readonly engine?: { readonly name: string; readonly version: string; readonly sha256: string };
  readonly decisions: SealFacts["guard"]["decisions"];
  readonly containment: SealFacts["containment"];
  readonly auditHead: SealFacts["audit_head"];
}

/** Stores the sealed summary of a recipe run. Each continuation has its own, under the same work order. */
export function sealRun({ result, end }: RecipeEnd, facts: RunFacts, policy: Policy, setting: RunSetting): void {
  const { decisions, startedAt, trace, receipts, ...known } = facts;
  const started = newEvent({ type: "run_started", message: `recipe ${result.recipe_name}` });
  const agents = newEvent({ type: "warning", message: `receipts of agent steps: ${receipts.join(", ")}` });
  const summary = {
    ...known,
    agent: "recipe",
    version: setting.version,
    startedAt: startedAt.toISOString(),
    trace: [started, ...trace, ...(receipts.length === 0 ? [] : [agents])],
    outcome: end === "completed" ? "complete" : end === "blocked" ? "partial" : "failed",
    guard: { decisions, policy_sha256: policyHash(policy) },
  } as const;
  const hash = sealSummary(setting.home, summary, setting.secrets);
  say(`receipt ${hash}; signalbox receipt show ${facts.runId}`);
}
