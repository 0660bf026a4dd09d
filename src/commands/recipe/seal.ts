import { randomUUID } from "node:crypto";
import { sealSummary } from "../../receipts/seal/store-receipt.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Policy } from "../../contract/policy.ts";
import { policyHash } from "../../guard/policy/compiled-policy.ts";
import { say } from "../../lib/process/standard-streams.ts";
import type { RecipeRunFolder } from "../../recipes/run/run-folder.ts";
import type { RecipeEvent } from "../../recipes/run/run-parts.ts";
import type { RecipeEnd } from "../../recipes/run/run-recipe.ts";
import { type CheckedRunner, RUNNER_NAME } from "../../recipes/bridge/find-runner.ts";
import type { RunnerPlace } from "../../recipes/bridge/runner-place.ts";
import type { RecipeShell } from "../../recipes/shell/open-shell.ts";

const MAX_OUTPUT = 2000;
const MAX_EVENTS = 5000;

/** Collects the events of a run for its receipt, and passes them on. */
export function traceOf(show: (event: RecipeEvent) => void) {
  const events: AgentEvent[] = [];
  return {
    events: (): readonly AgentEvent[] => events,
    report: (event: RecipeEvent): void => {
      if (events.length < MAX_EVENTS) events.push(toAgentEvent(event));
      show(event);
    },
  };
}

function toAgentEvent(event: RecipeEvent): AgentEvent {
  if (event.type === "warning") return newEvent({ type: "warning", message: event.message });
  const common = { tool_name: "recipe-step", tool_use_id: event.key };
  if (event.type === "step-start") return newEvent({ type: "tool_call", ...common, input: { type: event.kind } });
  const { status, output, error } = event.end.result;
  return newEvent({
    type: "tool_result",
    ...common,
    output: { status, output: output.slice(0, MAX_OUTPUT), error: error.slice(0, MAX_OUTPUT), reused: event.isReused },
    is_error: status === "failed" || status === "blocked",
  });
}

interface SealParts {
  readonly ended: RecipeEnd;
  readonly folder: RecipeRunFolder;
  readonly isResumed: boolean;
  readonly startedAt: string;
  readonly trace: readonly AgentEvent[];
  /** Runs of the agent steps. */
  readonly receipts: readonly string[];
  readonly shell: RecipeShell;
  readonly policy: Policy;
  readonly setting: RunSetting;
}

/** Stores the sealed summary of a recipe run. Each continuation has its own, under the same work order. */
export function sealRecipeRun(parts: SealParts): void {
  const { ended, folder, shell, policy, setting, trace, receipts } = parts;
  const { result, end } = ended;
  const runId = parts.isResumed ? randomUUID() : folder.runId;
  const agents =
    receipts.length === 0
      ? []
      : [newEvent({ type: "warning", message: `receipts of agent steps: ${receipts.join(", ")}` })];
  const hash = sealSummary(
    setting.home,
    {
      runId,
      workId: folder.runId,
      agent: "recipe",
      version: setting.version,
      startedAt: parts.startedAt,
      durationMs: Math.round(result.duration * 1000),
      trace: [newEvent({ type: "run_started", message: `recipe ${result.recipe_name}` }), ...trace, ...agents],
      outcome: end === "completed" ? "complete" : end === "blocked" ? "partial" : "failed",
      because: end === "completed" ? "all steps ended" : "a step failed or is blocked",
      guard: { decisions: shell.decisions(), policy_sha256: policyHash(policy) },
      containment: shell.containment(),
      auditHead: shell.auditHead(),
    },
    setting.secrets,
  );
  say(`receipt ${hash}; signalbox receipt show ${runId}`);
}

interface ExternalSeal {
  readonly ended: RecipeEnd;
  /** Why there is no result. */
  readonly because: string | undefined;
  readonly runId: string;
  readonly startedAt: Date;
  readonly runner: CheckedRunner;
  readonly place: Pick<RunnerPlace, "facts">;
  readonly policy: Policy;
  readonly setting: RunSetting;
}

/** Stores the sealed summary of a run of the external runner. Its commands were not judged, so it is not guarded. */
export function sealExternalRun({
  ended,
  runId,
  startedAt,
  runner,
  place,
  policy,
  setting,
  ...parts
}: ExternalSeal): void {
  const { result, end } = ended;
  const steps = result.step_results
    .slice(0, MAX_EVENTS)
    .map((step) =>
      toAgentEvent({ type: "step-end", key: step.step_id, end: { result: step, values: {} }, isReused: false }),
    );
  const engine = `run by ${runner.path} ${runner.version}, sha256 ${runner.sha256}`;
  const hash = sealSummary(
    setting.home,
    {
      runId,
      workId: runId,
      agent: "recipe",
      version: setting.version,
      engine: { name: RUNNER_NAME, version: runner.version, sha256: runner.sha256 },
      startedAt: startedAt.toISOString(),
      durationMs: Date.now() - startedAt.getTime(),
      trace: [
        newEvent({ type: "run_started", message: `recipe ${result.recipe_name}` }),
        newEvent({ type: "warning", message: engine }),
        ...steps,
      ],
      outcome: end === "completed" ? "complete" : "failed",
      because: parts.because ?? (end === "completed" ? "all steps ended" : "a step failed"),
      guard: { decisions: { allow: 0, ask: 0, deny: 0 }, policy_sha256: policyHash(policy) },
      containment: place.facts(),
      auditHead: null,
    },
    setting.secrets,
  );
  say(`receipt ${hash}; signalbox receipt show ${runId}`);
}
