/** Exit codes besides 0 and 1, which scripts for other recipe runners expect. */
export const RECIPE_EXIT = { invalid: 2, notFound: 3, badArguments: 4 } as const;

/** The limit of the recipe format, inclusive. */
export const MAX_RECIPE_BYTES = 1_000_000;

/** A value of a recipe's context: what JSON can express. */
export type ContextValue = unknown;

/** Named values that steps read and write. */
export type Context = Readonly<Record<string, ContextValue>>;

export const STEP_TYPES = ["bash", "agent", "recipe", "approval"] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** What happens again when a step fails. */
interface Retry {
  /** Attempts after the first one. */
  readonly times: number;
  /** Seconds before the second attempt, doubled before each further one. */
  readonly backoff: number;
}

/** Repeats a step for each item of a list. */
export interface ForEach {
  /** The items, or the name of the context value that has them. */
  readonly items: readonly ContextValue[] | string;
  /** The name under which a step sees its item. */
  readonly as: string;
  /** How many run at once. */
  readonly parallel: number;
}

export interface Step {
  readonly id: string;
  readonly type: StepType;
  readonly command: string | undefined;
  readonly agent: string | undefined;
  readonly prompt: string | undefined;
  /** The name under which the result is stored in the context. */
  readonly output: string | undefined;
  readonly condition: string | undefined;
  readonly parseJson: boolean;
  readonly parseJsonRequired: boolean;
  readonly mode: string | undefined;
  readonly workingDir: string | undefined;
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly autoStage: boolean | undefined;
  /** The name of a recipe to run. */
  readonly recipe: string | undefined;
  /** Overrides for the context of that recipe. */
  readonly context: Context;
  /** Whether its failure ends the run. */
  readonly isFatal: boolean;
  readonly parallelGroup: string | undefined;
  readonly whenTags: readonly string[];
  readonly recoveryOnFailure: boolean;
  readonly model: string | undefined;
  /** The agent that does an agent step, instead of the run's. */
  readonly backend: string | undefined;
  readonly retry: Retry;
  readonly forEach: ForEach | undefined;
  /** The steps it waits for; undefined: all steps before it. */
  readonly needs: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Commands that must succeed afterwards. */
  readonly accept: readonly string[];
  /** False for a step that must leave the sandbox. */
  readonly contained: boolean;
  /** The question of an approval step. */
  readonly approval: string | undefined;
}

interface RecipeHooks {
  readonly preStep: string | undefined;
  readonly postStep: string | undefined;
  readonly onError: string | undefined;
}

export const INPUT_TYPES = ["string", "number", "boolean", "list", "object", "path"] as const;

/** A value that the caller passes in. */
export interface RecipeInput {
  readonly type: (typeof INPUT_TYPES)[number];
  readonly required: boolean;
  readonly default: ContextValue;
  readonly description: string;
  readonly options: readonly ContextValue[];
}

export interface RecipeLimits {
  readonly maxDepth: number;
  readonly maxTotalSteps: number;
}

/** What one run may cost. */
interface RecipeBudget {
  readonly usd: number | undefined;
  readonly seconds: number | undefined;
}

export interface Recipe {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly author: string;
  readonly tags: readonly string[];
  readonly context: Context;
  readonly contextValidation: Readonly<Record<string, string>>;
  readonly recursion: RecipeLimits;
  readonly hooks: RecipeHooks;
  readonly extends: string | undefined;
  readonly steps: readonly Step[];
  readonly inputs: Readonly<Record<string, RecipeInput>>;
  readonly env: Readonly<Record<string, string>>;
  readonly accept: readonly string[];
  readonly budget: RecipeBudget;
  /** Seconds, for steps without a time-out of their own. */
  readonly stepTimeout: number | undefined;
}

export const DEFAULT_LIMITS: RecipeLimits = { maxDepth: 6, maxTotalSteps: 200 };
