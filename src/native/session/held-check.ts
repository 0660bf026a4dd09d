import { createHash } from "node:crypto";
import { join } from "node:path";
import { checkWithBase, compareNow } from "../../receipts/acceptance/check-with-base.ts";
import { type KeptBase, savedBase } from "../../receipts/acceptance/check-base.ts";
import { recordBase } from "../../receipts/acceptance/record-base.ts";
import { changedCheckReason } from "../../contract/gate-reason.ts";
import type { RunCheck } from "../engine/gates.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import type { NativeTools } from "./session-tools.ts";

interface HeldCheckPlace extends Pick<NativeSettings, "acceptKeep" | "acceptChanged" | "environment" | "warn"> {
  readonly sessionId: string;
  readonly accept: string;
  readonly root: string;
  readonly signal: AbortSignal;
}

/**
 * The session's check, which the agent cannot change: a check that passes is run again with the files that decide it as
 * they were when the session began, if they were changed. What they were is kept with the session.
 */
export async function heldCheck(tools: NativeTools, place: HeldCheckPlace): Promise<RunCheck> {
  const kept = await sessionBase(tools, place);
  const { acceptChanged: allowed = [], environment } = place;
  return async (command, signal) => {
    const first = await compareNow({ kept, allowed, signal });
    const outcome = await tools.runCheck(command, signal);
    if (outcome.exitCode !== 0 || outcome.timedOut) return outcome;
    const verdict = await checkWithBase([command], first, {
      kept,
      allowed,
      id: place.sessionId,
      environment,
      signal,
      async run(again, folder) {
        const { exitCode, output, timedOut } = await tools.runCheckIn(folder)(again, signal);
        return { code: timedOut ? null : exitCode, output };
      },
    });
    if (verdict === undefined || verdict.isAccepted) return outcome;
    return { ...outcome, changedCheck: changedCheckReason(command, verdict.facts, verdict.output) };
  };
}

/** A resumed session compares with what was there when it first got this check. */
async function sessionBase({ privateFolder }: NativeTools, place: HeldCheckPlace): Promise<KeptBase> {
  const { accept, acceptKeep: keep = [], root, environment, warn, signal } = place;
  const key = createHash("sha256")
    .update(JSON.stringify([accept, keep, root]))
    .digest("hex")
    .slice(0, 16);
  const folder = join(privateFolder, `check-base-${key}`);
  const saved = savedBase(folder);
  if (saved !== undefined) return { base: saved, folder, warnings: [] };
  const plan = { root, commands: [accept], keep, path: environment["PATH"] ?? "" };
  const recorded = await recordBase(plan, folder, signal);
  recorded.warnings.forEach((warning) => warn(warning));
  return recorded;
}
