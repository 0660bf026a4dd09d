/** What one look at the machine found. `absent` is worth knowing and no fault. Ids are stable; scripts may rely on them. */
export interface CheckResult {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail" | "absent";
  readonly summary: string;
  readonly fix?: string;
  /** Further facts, for `--json`. */
  readonly facts?: Readonly<Record<string, string>>;
}
