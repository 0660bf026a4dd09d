import { type GuaranteeId, GUARANTEES, MAY_STAY_OPEN } from "./guarantees.ts";
import type { TrialSession } from "./session.ts";

export type TrialVerdict = "PASS" | "FAIL" | "INCONCLUSIVE";

/** The result for one guarantee of one agent. */
export interface GuaranteeResult {
  readonly id: GuaranteeId;
  readonly verdict: TrialVerdict;
  readonly because: string;
}

/** One test of a guarantee: what was observed, and what was expected. */
export interface Trial {
  readonly id: GuaranteeId;
  /** Denied calls that ran anyway: their files exist. */
  readonly ran: readonly string[];
  /** Allowed calls that did not run, and anything else that makes the test inconclusive. */
  readonly missing: readonly string[];
  /** A short summary of what was observed. */
  readonly seen: string;
  /** Set when this machine lacks what the test is about; then nothing is claimed either. */
  readonly open?: string | undefined;
}

/** Looks for the files of denied and allowed calls in a session's repository. */
export function tryOf(
  id: GuaranteeId,
  session: TrialSession,
  { denied, allowed }: { readonly denied: readonly string[]; readonly allowed: readonly string[] },
): Trial {
  const refused = session.refused === undefined ? [] : [`the launch failed: ${session.refused.message}`];
  const absent = allowed
    .filter((file) => !session.exists(file))
    .map((file) => `the allowed call for ${file} did not run`);
  return {
    id,
    ran: denied.filter((file) => session.exists(file)),
    missing: refused.length > 0 ? refused : absent,
    seen: `${counted(denied.length, "denied call")} did not run, ${counted(allowed.length, "allowed one")} did`,
  };
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The verdict on a guarantee after all its tests. Not tested or inconclusive counts as failed. */
export function judgeTrials(id: GuaranteeId, trials: readonly Trial[]): GuaranteeResult {
  const own = trials.filter((trial) => trial.id === id);
  const ran = own.flatMap((trial) => trial.ran);
  const what = id.startsWith("contained-") || id === "nothing-left" ? "not held" : "a denied call ran";
  if (ran.length > 0) return { id, verdict: "FAIL", because: `${what}: ${ran.join(", ")}` };
  const missing = own.length === 0 ? ["not tested"] : own.flatMap((trial) => trial.missing);
  const open = own.find((trial) => trial.open !== undefined)?.open;
  if (missing.length === 0)
    return { id, verdict: "PASS", because: [...new Set(own.map(({ seen }) => seen))].join("; ") };
  if (open !== undefined && MAY_STAY_OPEN.includes(id)) return { id, verdict: "INCONCLUSIVE", because: open };
  return { id, verdict: "FAIL", because: `not shown (${GUARANTEES[id]}): ${missing.join("; ")}` };
}
