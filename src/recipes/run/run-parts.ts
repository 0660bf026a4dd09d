import type { InTurn } from "../../lib/process/tasks.ts";
import { printable } from "../../lib/text/printable.ts";
import type { LoadedRecipe } from "../recipe/load-recipe.ts";
import type { Context, RecipeLimits } from "../recipe/recipe.ts";
import type { Journal } from "./journal.ts";
import type { StepEnd, StepResult, StepStatus } from "./step-result.ts";

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

const MARKS: Readonly<Record<StepStatus, string>> = {
  completed: "✓",
  skipped: "⊘",
  failed: "✗",
  degraded: "⚠",
  blocked: "■",
};

const KINDS: Readonly<Record<string, string>> = { agent: " [agent]", recipe: " [recipe]", approval: " [approval]" };

/** The lines that show an event as a part of the tree of steps. */
export function progressLines(event: RecipeEvent): readonly string[] {
  switch (event.type) {
    case "warning":
      return [`  ! ${clean(event.message)}`];
    case "step-start": {
      const kind = KINDS[event.kind];
      return kind === undefined ? [] : [`${indent(event.key)}▶ ${lastName(event.key)}${kind}`];
    }
    case "step-end": {
      const { status, duration, error } = event.end.result;
      const time = event.isReused ? "done before" : `${duration.toFixed(1)} s`;
      const first = error === "" ? "" : `: ${clean(error).slice(0, 300)}`;
      return [`${indent(event.key)}${MARKS[status]} ${lastName(event.key)} (${time})${first}`];
    }
  }
}

const indent = (key: string) => "  ".repeat(key.split("/").length - 1 + (key.endsWith("]") ? 1 : 0));

const lastName = (key: string) => clean(key.split("/").at(-1) ?? key);

const clean = (text: string) => printable(text).replaceAll("\n", " ⏎ ");
