export interface SuiteOptions {
  readonly quick: boolean;
}

/** What a suite measured. `rows` is printed as a table; `result` is the object of `--json`. */
export interface SuiteResult {
  readonly rows: readonly Record<string, string | number>[];
  readonly result: Readonly<Record<string, unknown>>;
}

/** A measurement, side by side in one run with the peer or the floor it is compared with. */
export type Suite = (options: SuiteOptions) => Promise<SuiteResult>;
