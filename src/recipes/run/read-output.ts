import type { Step } from "../recipe/recipe.ts";
import { extractJson, storedValue } from "./output-value.ts";
import { failedOutcome, type StepOutcome } from "./step-result.ts";

const NOT_JSON = "parse_json failed: output is not valid JSON";

/** The outcome of work that succeeded with this output. Without the JSON that was asked for it is degraded or failed. */
export function outcomeOfOutput(step: Step, output: string): StepOutcome {
  const store = (value: unknown) => (step.output === undefined ? {} : { [step.output]: value });
  if (!step.parseJson || output.trim() === "")
    return { status: "completed", output, error: "", values: store(storedValue(output)) };
  const value = extractJson(output);
  if (value !== undefined) return { status: "completed", output, error: "", values: store(value) };
  if (step.parseJsonRequired) return failedOutcome(NOT_JSON, output);
  return { status: "degraded", output, error: NOT_JSON, values: store(output) };
}
