import { openFleet } from "../../fleet/open-fleet.ts";
import { isUserError, messageOf } from "../../lib/text/user-error.ts";
import type { CheckResult, Examined } from "./check.ts";

const CLOCK_MS = 60_000;

/** Whether the fleet that `SIGNALBOX_FLEET` names can be used, and who works there. Nothing where it is not set. */
export async function checkFleet({ home, env, readOnly }: Examined): Promise<readonly CheckResult[]> {
  const id = "fleet";
  if ((env["SIGNALBOX_FLEET"] ?? "") === "" || readOnly) return [];
  try {
    await using fleet = await openFleet(home, env);
    const workers = await fleet.workers();
    const ahead = workers.filter(({ seen }) => seen > Date.now() + CLOCK_MS).map(({ name }) => name);
    const summary = `${fleet.place}: ${workers.length} ${workers.length === 1 ? "worker" : "workers"} known`;
    if (ahead.length === 0) return [{ id, status: "ok", summary }];
    const fix = "set the clocks; leases do not need them, but --not-before and the times in receipts do";
    return [{ id, status: "warn", summary: `${summary}; the clock there is ahead of ours: ${ahead.join(", ")}`, fix }];
  } catch (error) {
    const fix = isUserError(error) ? error.fix : "see docs/fleet.md";
    return [{ id, status: "warn", summary: messageOf(error), fix }];
  }
}
