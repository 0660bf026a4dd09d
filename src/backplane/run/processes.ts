/** What the runtime needs of the system's processes. Passed in: the room that ends process trees is not ours. */
export interface Processes {
  /** Ends every process that belongs to a run. Returns how many would not go. */
  readonly endRun: (runId: string) => Promise<number>;
  /** Runs a check of the person's to its end. */
  readonly runCheck: (check: Check) => Promise<CheckEnd>;
}

export interface Check {
  readonly runId: string;
  /** As the person would type it in a shell. */
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CheckEnd {
  /** Null when it did not end by itself. */
  readonly code: number | null;
  readonly because: string;
  /** The end of what it printed. */
  readonly output: string;
}
