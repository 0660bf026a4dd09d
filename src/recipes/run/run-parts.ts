import type { LoadedRecipe } from "../places/load-recipe.ts";
import type { Context } from "../recipe/recipe.ts";
import type { Journal } from "./journal.ts";
import type { StepEnd } from "./step-result.ts";

/** A shell command of a step, a hook or a check. */
export interface ShellRequest {
  /** As the recipe has it, with `{{name}}`. */
  readonly command: string;
  readonly context: Context;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly timeoutSeconds: number | undefined;
  /** The step it belongs to. */
  readonly step: string;
  /** `inside`: in the sandbox; `may-leave`: outside, because the recipe may; `must-leave`: only if a person allows it. */
  readonly place: "inside" | "may-leave" | "must-leave";
  /** One of our own scripts, which runs no value as code. */
  readonly isOurs?: boolean;
}

export type ShellOutcome =
  | {
      readonly type: "ended";
      readonly code: number | null;
      readonly signal: string | null;
      readonly stdout: string;
      readonly stderr: string;
      readonly timedOut: boolean;
      /** What the sandbox refused meanwhile, which need not be why it failed. */
      readonly notes: readonly string[];
    }
  /** The guard or the template does not allow it. */
  | { readonly type: "refused"; readonly because: string }
  /** A person would have to allow it, and there is none. */
  | { readonly type: "blocked"; readonly because: string };

export interface AgentRequest {
  readonly prompt: string;
  /** The persona, as the recipe names it. */
  readonly persona: string | undefined;
  readonly model: string | undefined;
  readonly folder: string;
  readonly timeoutSeconds: number | undefined;
  /** The agent that does it, if the step names one. */
  readonly backend: string | undefined;
  readonly maxBudgetUsd: number | undefined;
  readonly step: string;
}

export interface AgentOutcome {
  readonly ok: boolean;
  readonly text: string;
  readonly because: string;
  readonly costUsd: number;
  /** The run whose receipt says what the agent did. */
  readonly runId: string | undefined;
  /** Another attempt would fail in the same way, because a login or key is missing. */
  readonly isFinal?: boolean;
}

/** What a run reports while it is active. A key is the path of a step through sub-recipes and repetitions. */
export type RecipeEvent =
  | { readonly type: "step-start"; readonly key: string; readonly kind: string }
  | { readonly type: "step-end"; readonly key: string; readonly end: StepEnd; readonly isReused: boolean }
  | { readonly type: "warning"; readonly message: string };

export interface RecipeOptions {
  readonly workingDir: string;
  /** Seconds, instead of what the recipe says. */
  readonly stepTimeout: number | undefined;
  readonly includeTags: readonly string[];
  readonly excludeTags: readonly string[];
  readonly autoStage: boolean;
  readonly isDryRun: boolean;
}

/** Everything a run needs from outside. */
export interface RecipeParts {
  readonly options: RecipeOptions;
  readonly runShell: (request: ShellRequest, signal: AbortSignal) => Promise<ShellOutcome>;
  readonly runAgent: (request: AgentRequest, signal: AbortSignal) => Promise<AgentOutcome>;
  /** Asks a person. Undefined when there is none. */
  readonly ask: (step: string, question: string) => Promise<boolean | undefined>;
  /** Finds the recipe of a step. Throws when it does not exist or may not run. */
  readonly findRecipe: (name: string, parent: LoadedRecipe) => LoadedRecipe;
  /** Whether a step of this recipe may leave the sandbox because the recipe says so. */
  readonly mayLeave: (recipe: LoadedRecipe) => boolean;
  readonly journal: Journal;
  readonly report: (event: RecipeEvent) => void;
  /** Aborted when the user interrupts or the budget is used up. */
  readonly signal: AbortSignal;
}
