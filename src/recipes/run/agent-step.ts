import type { Context, Step } from "../recipe/recipe.ts";
import { fillText } from "../template/text-template.ts";
import { extractJson } from "./output-value.ts";
import { outcomeOfOutput } from "./read-output.ts";
import type { AgentOutcome, AgentRequest } from "./run-parts.ts";
import type { Scope } from "./scope.ts";
import { stepFolder, stepSeconds } from "./shell-step.ts";
import { recordBefore, stageChanges } from "./stage-changes.ts";
import { failedOutcome, type StepOutcome } from "./step-result.ts";

interface AgentPlace {
  readonly scope: Scope;
  readonly key: string;
}

const ONLY_JSON = "\n\nReturn only valid JSON, without any other text.";

/** Gives the prompt to the agent. When the answer is not the JSON that was asked for, it is asked once more. */
export async function agentStep(step: Step, context: Context, place: AgentPlace): Promise<StepOutcome> {
  const { scope, key } = place;
  const request: AgentRequest = {
    prompt: fillText(step.prompt ?? "", context),
    persona: step.agent,
    model: step.model === undefined ? undefined : fillText(step.model, context),
    folder: stepFolder(step, context, scope),
    timeoutSeconds: stepSeconds(step, scope),
    backend: step.backend === undefined ? undefined : fillText(step.backend, context),
    maxBudgetUsd: undefined,
    step: key,
  };
  const stages = (step.autoStage ?? true) && scope.run.parts.options.autoStage;
  if (stages) await recordBefore(request.folder, scope.run.parts);
  const first = await askAgent(request, place);
  if (!first.ok) return { ...failedOutcome(first.because, first.text), isFinal: first.isFinal === true };
  const isMissing = step.parseJson && first.text.trim() !== "" && extractJson(first.text) === undefined;
  const second = isMissing ? await askAgent({ ...request, prompt: `${request.prompt}${ONLY_JSON}` }, place) : first;
  if (stages) await stageChanges(key, request.folder, scope.run.parts);
  return outcomeOfOutput(step, (second.ok ? second : first).text.trimEnd());
}

/** One call of an agent, within what is left of the budget. */
export async function askAgent(request: AgentRequest, { scope, key }: AgentPlace): Promise<AgentOutcome> {
  const { parts, spent, oneAgent } = scope.run;
  return await oneAgent(async () => {
    const left = scope.usd === undefined ? undefined : scope.usd - spent.usd;
    if (left !== undefined && left <= 0)
      return {
        ok: false,
        text: "",
        because: `the budget of ${scope.usd} USD is used up`,
        isFinal: true,
        costUsd: 0,
        runId: undefined,
      };
    const outcome = await parts.runAgent({ ...request, maxBudgetUsd: left }, parts.signal);
    spent.usd += outcome.costUsd;
    if (outcome.runId !== undefined) parts.journal.receipt(key, outcome.runId);
    return outcome;
  });
}
