import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import type { Usage } from "../../contract/receipt.ts";
import { addUsage } from "../../contract/usage-total.ts";
import { NOT_CHECKED, type WorkCheck } from "./acceptance.ts";
import type { CheckedRun } from "./checked-run.ts";
import type { StopCause } from "./limits.ts";

/** What the seal says about checks: the verdict of the last one, if it counts, and every attempt. */
export function wholeCheck({ earlier = [], checked, round }: CheckedRun, stop: StopCause | undefined): WorkCheck {
  const last = checked ?? NOT_CHECKED;
  const verdict = stop === undefined ? last : { ...NOT_CHECKED, acceptance: last.acceptance };
  if (round === undefined) return verdict;
  const attempts = [...earlier.map((each) => each.checked), verdict].flatMap(({ acceptance }, index) =>
    acceptance.map((attempt) => ({ ...attempt, round: index + 1 })),
  );
  return { ...verdict, acceptance: attempts };
}

/** What the hosts of all rounds reported. Undefined if the last one did not end by itself. */
export function wholeEnd(run: CheckedRun): HostEnd | undefined {
  const { end, earlier = [] } = run;
  if (end === undefined || earlier.length === 0) return end;
  const ends = [...earlier.flatMap((round) => round.end ?? []), end];
  return {
    ...end,
    usage: usedSoFar(run),
    usageRaw: { rounds: ends.map(({ usageRaw }) => usageRaw) },
    artifacts: ends.flatMap(({ artifacts = [] }) => artifacts),
  };
}

/** What the rounds before this one have used. */
export const usedBefore = ({ earlier = [] }: Pick<CheckedRun, "earlier">): Usage =>
  earlier.reduce((sum, { end }) => addUsage(sum, end?.usage ?? NO_USAGE), NO_USAGE);

/** The same with what is known of this one. */
export const usedSoFar = (run: CheckedRun) => addUsage(usedBefore(run), run.end?.usage ?? NO_USAGE);
