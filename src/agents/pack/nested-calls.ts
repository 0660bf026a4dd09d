/** How the calls of a program that starts this agent, as if it were another one, become a guarded start. */
export interface NestedCalls {
  /** Rewrites the program's argv. The order of the rest is kept. */
  readonly normaliseNested: (argv: readonly string[]) => NestedLaunch;
  /** The whole argv of the start. */
  readonly nestedArgv: (nested: NestedLaunch) => string[];
  /** Flags for a caller that took no decision on tools or paths. */
  readonly PERMISSIVE_PREFIX: readonly string[];
}

export interface NestedLaunch {
  /** What the caller's argv leaves for the agent, without prompt. */
  readonly flags: readonly string[];
  /** System parts, then prompt parts, one blank line between them; undefined when nothing is left. */
  readonly prompt: string | undefined;
  /** Whether the caller took no decision on tools or paths, so that the permissive prefix applies. */
  readonly undecided: boolean;
  readonly forbiddenTools: readonly string[];
}
