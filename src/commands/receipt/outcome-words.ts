import type { Receipt } from "../../contract/receipt.ts";
import { SealFacts, type SealPredicate } from "../../contract/seal.ts";
import { isRecord } from "../../lib/is-record.ts";

/** How a run ended, as one sentence without a full stop. */
export function outcomeWords(receipt: Receipt, predicate: SealPredicate | undefined): string {
  const end = endOf(receipt, predicate);
  const why = end.because === "" ? "" : `: ${end.because}`;
  if (end.verified === "stale") return "not accepted: the files changed while they were checked, or after that";
  if (end.verified === "changed_check")
    return "accepted by a changed check: it passes only with the agent's version of the files that decide it";
  if (end.verified === "refused") return "not accepted: the agent said it was done, but a check failed";
  switch (end.stopped) {
    case "denied":
      return "stopped: a call was blocked, and the agent did nothing after that";
    case "limit":
      return `stopped at a limit${why}`;
    case "no_progress":
      return `stopped without progress${why}`;
    case "crashed":
      return `failed: the agent crashed${why}`;
    case "interrupted":
      return `interrupted${why === ": interrupted" ? "" : why}`;
    case "failed":
      return `failed${why}`;
    default:
      return receipt.outcome === "complete" ? doneWords(end.verified) : `${receipt.outcome}${why}`;
  }
}

const doneWords = (verified: SealFacts["verified"] | undefined) =>
  verified === "accepted" ? "done, and every check passed" : "done, as the agent says; nothing was checked";

/** A receipt without its seal has these facts in its last event, if we wrote it. */
function endOf({ trace }: Receipt, predicate: SealPredicate | undefined) {
  const last = trace.findLast(({ type }) => type === "run_completed")?.ext;
  const ext = isRecord(last) ? last : {};
  const because = typeof ext["because"] === "string" ? (ext["because"].split("\n")[0] ?? "") : "";
  const told = SealFacts.pick({ stopped: true, verified: true }).partial().safeParse({
    stopped: ext["stopped"],
    verified: ext["verified"],
  });
  return {
    because,
    ...(told.success ? told.data : {}),
    ...(predicate && { stopped: predicate.stopped, verified: predicate.verified }),
  };
}
