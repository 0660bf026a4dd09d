import type { Outcome } from "../../contract/receipt.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { SealFacts, StopReason } from "../../contract/seal.ts";

interface Observed {
  /** Why we stopped the run, if we did. */
  readonly stop: { readonly stopped: StopReason; readonly because: string; readonly exitCode?: number } | undefined;
  /** The outcome the host reported; undefined if it reported none. */
  readonly outcome: Outcome | undefined;
  readonly verified: SealFacts["verified"];
  readonly notAccepted: string | undefined;
  readonly lastDenied: boolean;
  /** The last error that the host reported. */
  readonly lastError: string | undefined;
  /** The number of the last round. */
  readonly round?: number | undefined;
}

export interface DecidedOutcome {
  readonly outcome: Outcome;
  readonly stopped: StopReason;
  readonly claimed: boolean;
  readonly exitCode: number;
  readonly because: string;
}

/** Decides how a run really ended, from what the host reported and what we observed. The first match wins. */
export function decideOutcome(seen: Observed): DecidedOutcome {
  const { stop, outcome, lastDenied, lastError } = seen;
  const claimed = outcome === "complete";
  const decided = (how: Omit<DecidedOutcome, "claimed">): DecidedOutcome => ({ ...how, claimed });
  if (stop !== undefined) {
    const failed = stop.stopped === "crashed" || stop.stopped === "failed";
    return decided({
      outcome: failed ? "failed" : "partial",
      stopped: stop.stopped,
      exitCode: stop.exitCode ?? STOP_EXIT[stop.stopped],
      because: stop.because,
    });
  }
  const checked = claimed ? checkedOutcome(seen) : undefined;
  if (checked !== undefined) return decided(checked);
  if (lastDenied)
    return decided({
      outcome: "partial",
      stopped: "denied",
      exitCode: RUN_EXIT.denied,
      because: "a call was blocked, and the agent did nothing after that",
    });
  if (claimed && lastError === undefined)
    return decided({ outcome: "complete", stopped: "answered", exitCode: RUN_EXIT.done, because: "done" });
  return decided({
    outcome: outcome === "failed" ? "failed" : "partial",
    stopped: "failed",
    exitCode: RUN_EXIT.failed,
    because: failedBecause(claimed, outcome, lastError),
  });
}

function failedBecause(claimed: boolean, outcome: Outcome | undefined, lastError: string | undefined): string {
  if (lastError === undefined) return `the agent reported: ${outcome ?? "nothing"}`;
  return claimed ? `claimed done, but an error was reported: ${lastError}` : `the agent failed: ${lastError}`;
}

/** What our own checks say about a run that claims to be done; undefined without any. */
function checkedOutcome(seen: Observed): Omit<DecidedOutcome, "claimed"> | undefined {
  const { verified, notAccepted } = seen;
  const stopped = "answered";
  switch (verified) {
    case "not_checked":
      return undefined;
    case "accepted":
      return {
        outcome: "complete",
        stopped,
        exitCode: RUN_EXIT.done,
        because: `done and accepted${afterRounds(seen)}`,
      };
    case "changed_check": {
      const because = `accepted by a changed check${afterRounds(seen)}: ${notAccepted ?? "the files that decide it were changed"}`;
      return { outcome: "partial", stopped, exitCode: RUN_EXIT.changedCheck, because };
    }
    default: {
      const because = `claimed done, not accepted${afterRounds(seen)}: ${notAccepted ?? verified}`;
      return { outcome: "failed", stopped, exitCode: RUN_EXIT.notAccepted, because };
    }
  }
}

const afterRounds = ({ round = 1 }: Observed) => (round === 1 ? "" : ` after ${round} rounds`);

const STOP_EXIT: Record<StopReason, number> = {
  answered: RUN_EXIT.done,
  denied: RUN_EXIT.denied,
  limit: RUN_EXIT.limit,
  no_progress: RUN_EXIT.noProgress,
  crashed: RUN_EXIT.crashed,
  interrupted: RUN_EXIT.interrupted,
  failed: RUN_EXIT.failed,
};
