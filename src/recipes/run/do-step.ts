import type { Context, Step } from "../recipe/recipe.ts";
import { fillText, referencesIn } from "../template/text-template.ts";
import { lookUp } from "../template/text-of.ts";
import { agentStep } from "./agent-step.ts";
import { outcomeOfOutput } from "./read-output.ts";
import type { Scope } from "./scope.ts";
import { describeShell, stepSeconds, stepShell } from "./shell-step.ts";
import { failedOutcome, type StepOutcome } from "./step-result.ts";
import { subRecipe } from "./sub-recipe.ts";

export interface DoPlace {
  readonly scope: Scope;
  readonly key: string;
}

/** Does the work of a step once, and checks it. */
export async function doStep(step: Step, context: Context, place: DoPlace): Promise<StepOutcome> {
  warnMissing(step, context, place);
  const outcome = await byType(step, context, place);
  if (outcome.status !== "completed" && outcome.status !== "degraded") return outcome;
  for (const command of step.accept) {
    const checked = await stepShell(command, { step, context: { ...context, ...outcome.values }, scope: place.scope });
    if (checked.type === "ended" && checked.code === 0) continue;
    const why = `not accepted: '${command}' ${describeShell(checked, stepSeconds(step, place.scope))}`;
    const output = checked.type === "ended" ? checked.stdout.trimEnd() : "";
    return checked.type === "blocked"
      ? { ...outcome, status: "blocked", error: why, values: {} }
      : failedOutcome(why, output === "" ? outcome.output : output);
  }
  return outcome;
}

async function byType(step: Step, context: Context, place: DoPlace): Promise<StepOutcome> {
  switch (step.type) {
    case "bash":
      return await bashStep(step, context, place);
    case "agent":
      return await agentStep(step, context, place);
    case "recipe":
      return await subRecipe(step, context, place);
    case "approval":
      return await approvalStep(step, context, place);
  }
}

async function bashStep(step: Step, context: Context, { scope }: DoPlace): Promise<StepOutcome> {
  const outcome = await stepShell(step.command ?? "", { step, context, scope });
  if (outcome.type === "blocked") return { ...failedOutcome(outcome.because), status: "blocked" };
  if (outcome.type === "refused") return failedOutcome(outcome.because);
  const output = outcome.stdout.trimEnd();
  if (scope.run.parts.signal.aborted) return failedOutcome("interrupted", output);
  if (outcome.code !== 0) return failedOutcome(describeShell(outcome, stepSeconds(step, scope)), output);
  return outcomeOfOutput(step, output);
}

async function approvalStep(step: Step, context: Context, { scope, key }: DoPlace): Promise<StepOutcome> {
  const question = fillText(step.approval ?? "", context);
  const answer = await scope.run.parts.ask(key, question);
  if (answer === true) return outcomeOfOutput(step, "approved");
  if (answer === false) return failedOutcome("the person said no");
  return { ...failedOutcome(`needs approval: ${question}`), status: "blocked" };
}

function warnMissing(step: Step, context: Context, { scope, key }: DoPlace): void {
  const texts = [step.command, step.prompt, step.workingDir, step.approval];
  const names = texts.flatMap((text) => (text === undefined ? [] : referencesIn(text)));
  const missing = [...new Set(names)].filter((name) => lookUp(context, name) === undefined);
  if (missing.length === 0) return;
  const shown = missing.map((name) => `{{${name}}}`).join(", ");
  scope.run.parts.report({ type: "warning", message: `${key}: ${shown} has no value and becomes empty` });
}
