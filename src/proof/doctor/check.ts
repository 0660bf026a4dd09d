/** The result of one check. `absent` is worth knowing but not a fault. Ids are stable; scripts may rely on them. */
export interface CheckResult {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail" | "absent";
  readonly summary: string;
  readonly fix?: string;
  /** More facts, for `--json`. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Where the checks look. */
export interface Examined {
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The version of signalbox. */
  readonly version: string;
  /** Nothing is written, and no agent is started, which might write itself. */
  readonly readOnly: boolean;
  /** Whether the home can be written. Where it cannot, its own check says so. */
  readonly canRecord: boolean;
}

/** The warnings for people: those with one cause and one fix are one, in the place of the first. */
export function warnings(checks: readonly CheckResult[]): readonly CheckResult[] {
  const unproven = joinUnproven(checks);
  const all = checks.filter(({ status }) => status === "warn");
  const first = all.find(isUnproven);
  return all.flatMap((check) => {
    if (!isUnproven(check) || unproven === undefined) return [check];
    return check === first ? [unproven] : [];
  });
}

/** Unproven agents have one cause and one fix, so they are one warning for people. */
export function joinUnproven(checks: readonly CheckResult[]): CheckResult | undefined {
  const unproven = checks.filter(isUnproven);
  if (unproven.length < 2) return unproven[0];
  const names = (wanted: readonly CheckResult[]) => wanted.map(({ id }) => id.slice("proof.".length));
  const stale = unproven.filter(({ facts }) => facts?.["state"] === "stale");
  const missing = unproven.filter((check) => !stale.includes(check));
  const summary = [
    ...(missing.length === 0 ? [] : [`not tested against the rules yet: ${names(missing).join(", ")}`]),
    ...(stale.length === 0 ? [] : [`tested, but something has changed since: ${names(stale).join(", ")}`]),
  ].join("; ");
  // Without names every installed agent is tested.
  const isAll = !checks.some(({ id, status }) => id.startsWith("proof.") && (status === "ok" || status === "fail"));
  const words = isAll ? [] : names(unproven);
  return { id: "proof", status: "warn", summary, fix: ["run: signalbox prove", ...words].join(" ") };
}

const isUnproven = ({ id, status }: CheckResult) => id.startsWith("proof.") && status === "warn";
