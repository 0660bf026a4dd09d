import type { SessionOutcome } from "../../engine/event.ts";
import { EXIT } from "../../lib/user-error.ts";

/** 4: the check that was asked for does not hold. 5: a limit was reached. 130: as a shell reports Ctrl-C. */
const CODES: Readonly<Record<SessionOutcome["reason"], number>> = {
  answered: EXIT.ok,
  failed: EXIT.failed,
  refused: EXIT.failed,
  rejected: EXIT.refused,
  "gate-gave-up": 4,
  limit: 5,
  aborted: 130,
};

/** The exit code that tells the truth about a session. */
export const outcomeCode = ({ reason }: SessionOutcome): number => CODES[reason];
