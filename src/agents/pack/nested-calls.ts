/** Turns the calls of a program that starts this agent as if it were a different one into a guarded start. */
export interface NestedCalls {
  /** Rewrites the program's argv. Other words keep their order. */
  readonly normaliseNested: (argv: readonly string[]) => NestedLaunch;
  /** The complete argv of the start. */
  readonly nestedArgv: (nested: NestedLaunch) => string[];
  /** Flags for a caller that made no choice about tools or paths. */
  readonly PERMISSIVE_PREFIX: readonly string[];
}

export interface NestedLaunch {
  /** The rest of the caller's argv for the agent, without the prompt. */
  readonly flags: readonly string[];
  /** System parts, then prompt parts, separated by a blank line; undefined when there are none. */
  readonly prompt: string | undefined;
  /** True when the caller made no choice about tools or paths, so that the permissive prefix applies. */
  readonly undecided: boolean;
  readonly forbiddenTools: readonly string[];
}
