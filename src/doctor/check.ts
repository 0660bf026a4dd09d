/** The result of one check. `absent` is worth knowing but not a fault. Ids are stable; scripts may rely on them. */
export interface CheckResult {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail" | "absent";
  readonly summary: string;
  readonly fix?: string;
  /** More facts, for `--json`. */
  readonly facts?: Readonly<Record<string, string>>;
}
