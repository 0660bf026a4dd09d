import type { InTurn } from "../../lib/one-at-a-time.ts";
import type { LoadedRecipe } from "../places/load-recipe.ts";
import type { Context, RecipeLimits } from "../recipe/recipe.ts";
import type { RecipeParts } from "./run-parts.ts";
import type { StepResult } from "./step-result.ts";

/** What all recipes of one run have in common. */
export interface RunState {
  readonly parts: RecipeParts;
  readonly spent: { steps: number; usd: number };
  /** Agents work in the same folder, so one at a time. */
  readonly oneAgent: InTurn;
  /** Runs the steps of a recipe. Passed on, because steps run recipes too. */
  readonly runScope: (scope: Scope) => Promise<ScopeEnd>;
}

/** One recipe that runs: the one that was started, or that of a step. */
export interface Scope {
  readonly loaded: LoadedRecipe;
  /** In front of the keys of its steps. */
  readonly prefix: string;
  /** What its steps start with. */
  readonly context: Context;
  readonly depth: number;
  /** The strictest of all recipes around it. */
  readonly limits: RecipeLimits;
  readonly usd: number | undefined;
  readonly run: RunState;
}

export interface ScopeEnd {
  readonly results: readonly StepResult[];
  readonly context: Context;
  readonly end: "completed" | "failed" | "blocked";
  /** It failed, and another attempt would fail in the same way. */
  readonly isFinal?: boolean;
}
