import type { Context, ContextValue } from "../recipe/recipe.ts";

/** `degraded`: done, but its output is not the JSON that was asked for. `blocked`: a person must decide. */
export type StepStatus = "completed" | "skipped" | "failed" | "degraded" | "blocked";

/** The result of one step, in the names that other tools read. */
export interface StepResult {
  readonly step_id: string;
  readonly status: StepStatus;
  readonly output: string;
  readonly error: string;
  /** Seconds. */
  readonly duration: number;
}

/** How a step ended, and what it puts into the context. */
export interface StepEnd {
  readonly result: StepResult;
  readonly values: Context;
  /** It failed, and another attempt would fail in the same way. */
  readonly isFinal?: boolean;
}

/** The result of a run, as `--json` prints it. */
export interface RecipeResult {
  readonly recipe_name: string;
  readonly success: boolean;
  readonly step_results: readonly StepResult[];
  readonly context: Readonly<Record<string, ContextValue>>;
  readonly duration: number;
}

/** What became of the work of a step, before it is recorded. */
export interface StepOutcome {
  readonly status: Exclude<StepStatus, "skipped">;
  readonly output: string;
  readonly error: string;
  readonly values: Context;
  readonly isFinal?: boolean;
}

export const failedOutcome = (error: string, output = ""): StepOutcome => ({
  status: "failed",
  output,
  error,
  values: {},
});
