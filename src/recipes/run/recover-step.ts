import type { Step } from "../recipe/recipe.ts";
import { askAgent } from "./agent-step.ts";
import type { Scope } from "./scope.ts";
import { stepSeconds } from "./shell-step.ts";
import type { StepOutcome } from "./step-result.ts";

interface RecoverPlace {
  readonly scope: Scope;
  readonly key: string;
}

const MAX_QUOTED = 8000;

/** Asks an agent once to repair what a failed step left. The step counts as done only if the agent says so. */
export async function recoverStep(step: Step, failed: StepOutcome, place: RecoverPlace): Promise<StepOutcome> {
  const { scope, key } = place;
  const prompt = [
    `The step '${step.id}' of the recipe '${scope.loaded.recipe.name}' failed: ${failed.error.slice(0, MAX_QUOTED)}`,
    failed.output === "" ? "" : `Its output was:\n${failed.output.slice(-MAX_QUOTED)}`,
    "Find the cause and repair it. End your answer with the line 'STATUS: COMPLETE' if the step's goal is reached now, or 'STATUS: FAILED' and the reason if not.",
  ];
  const answer = await askAgent(
    {
      prompt: prompt.filter((part) => part !== "").join("\n\n"),
      persona: undefined,
      model: step.model,
      folder: scope.run.parts.options.workingDir,
      timeoutSeconds: stepSeconds(step, scope),
      backend: step.backend,
      maxBudgetUsd: undefined,
      step: key,
    },
    place,
  );
  if (!answer.ok || !saysRecovered(answer.text)) return { ...failed, error: `${failed.error} (recovery failed)` };
  return { status: "completed", output: answer.text.trimEnd(), error: "", values: {} };
}

/** "could not be recovered" is no recovery, and neither is an answer that says both. */
export function saysRecovered(text: string): boolean {
  if (/status:\s*(?:failed|incomplete|not\s+complete)/i.test(text)) return false;
  if (/\b(?:not|n[o']t|cannot|can't|never|unable|failed|without)\b[^.\n]{0,60}\brecover/i.test(text)) return false;
  return /status:\s*complete\b|\brecovered\b/i.test(text) && !/\b(?:un|non-?)recovered\b/i.test(text);
}
