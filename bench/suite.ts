export interface SuiteOptions {
  readonly quick: boolean;
}

/** What a suite measured. `rows` is printed as a table; `result` is the object of `--json`. */
export interface SuiteResult {
  readonly rows: readonly Record<string, string | number>[];
  readonly result: Readonly<Record<string, unknown>>;
  /** What is compared with a stored run: our time over that of a floor or a peer beside it. Less is better. */
  readonly ratios?: Readonly<Record<string, number>>;
}

/** A measurement, side by side in one run with the peer or the floor it is compared with. */
export type Suite = (options: SuiteOptions) => Promise<SuiteResult>;
