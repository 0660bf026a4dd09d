import { changedCheckVerdict } from "../../contract/gate-reason.ts";
import type { Acceptance, SealFacts } from "../../contract/seal.ts";
import { redact, type RedactOptions } from "../../guard/redact.ts";
import { GitFailure } from "../../lib/process/run-git.ts";
import type { SnapshotStore } from "../../snapshots/snapshot.ts";
import { type BaseVerdict, checkWithBase, compareNow, type SecondRun } from "./check-with-base.ts";

/** The result of our own checks on the final tree. */
export interface WorkCheck {
  readonly verified: SealFacts["verified"];
  readonly acceptance: readonly Acceptance[];
  /** Why the work was not accepted. */
  readonly because: string | undefined;
  readonly tree: string | null;
}

export const NOT_CHECKED: WorkCheck = { verified: "not_checked", acceptance: [], because: undefined, tree: null };

/** How a check ended. */
export interface CheckEnd {
  /** Null if the check did not exit by itself. */
  readonly code: number | null;
  /** It was ended, because it took too long. */
  readonly timedOut?: boolean;
  readonly because: string;
  /** The end of its output. */
  readonly output: string;
}

interface AcceptanceParts {
  readonly store: Pick<SnapshotStore, "take">;
  /** Runs a check in the workspace, or in another folder. */
  readonly runCheck: (command: string, folder?: string) => Promise<CheckEnd>;
  /** What decided the checks before the work; undefined where nothing was recorded. */
  readonly base?: Omit<SecondRun, "run"> | undefined;
}

/** Runs the checks, and again with what decided them before the work, if that was changed. */
export async function acceptWork(commands: readonly string[], parts: AcceptanceParts): Promise<WorkCheck> {
  const { base, runCheck } = parts;
  if (base === undefined) return await runAcceptance(commands, parts);
  const first = await compareNow(base);
  const checked = await runAcceptance(commands, parts);
  if (checked.verified !== "accepted") return checked;
  return withBase(checked, await checkWithBase(commands, first, { ...base, run: runCheck }));
}

/** What the second run adds to checks that passed. */
function withBase(checked: WorkCheck, verdict: BaseVerdict | undefined): WorkCheck {
  if (verdict === undefined) return checked;
  const { command, facts, isAccepted, output } = verdict;
  const acceptance = checked.acceptance.map((entry) => (entry.command === command ? { ...entry, base: facts } : entry));
  if (isAccepted) return { ...checked, acceptance };
  const because = [changedCheckVerdict(command, facts, verdict.idlePatterns), ...(output === "" ? [] : [output])];
  return { ...checked, verified: "changed_check", acceptance, because: because.join("\n") };
}

/**
 * Runs the checks in order until one fails. If the tree changes in the meantime, by the check itself or by a process
 * left running, the result is stale. If it cannot be read, we don't know what was checked, and the work is not accepted.
 */
async function runAcceptance(commands: readonly string[], { store, runCheck }: AcceptanceParts): Promise<WorkCheck> {
  if (commands.length === 0) return NOT_CHECKED;
  try {
    const { digest: tree } = await store.take();
    const acceptance: Acceptance[] = [];
    for (const command of commands) {
      const { code, timedOut = false, because, output } = await runCheck(command);
      acceptance.push({ command, exit_code: code, ...(timedOut ? { timed_out: true } : {}), tree });
      if (code === 0) continue;
      const why = `'${command}' ${because}${output === "" ? "" : `\n${output}`}`;
      return { verified: "refused", acceptance, because: why, tree };
    }
    const { digest } = await store.take();
    return digest === tree
      ? { verified: "accepted", acceptance, because: undefined, tree }
      : { verified: "stale", acceptance, because: "the workspace changed during or after the check", tree: digest };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const because = `cannot read the workspace, so it cannot be checked: ${error.message}`;
    return { verified: "refused", acceptance: [], because, tree: null };
  }
}

/** The checks as they are kept. Their commands are the user's own, and may have a secret in them. */
export const keptChecks = (acceptance: readonly Acceptance[], secrets: RedactOptions): Acceptance[] =>
  acceptance.map((check) => ({ ...check, command: redact(check.command, secrets).text }));
