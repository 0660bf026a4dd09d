import type { Acceptance, SealFacts } from "../../contract/seal.ts";
import { GitFailure } from "../../lib/run-git.ts";
import type { SnapshotStore } from "../workspace/snapshot.ts";
import type { CheckEnd } from "./run-parts.ts";

/** What our own checks say about the final tree. */
export interface Verdict {
  readonly verified: SealFacts["verified"];
  readonly acceptance: readonly Acceptance[];
  /** Why it was not accepted. */
  readonly because: string | undefined;
  /** The tree that was checked. */
  readonly tree: string | null;
}

interface AcceptanceParts {
  readonly store: Pick<SnapshotStore, "take">;
  readonly runCheck: (command: string) => Promise<CheckEnd>;
}

/** Runs the checks. A workspace that cannot be read is not accepted: nobody could say what was checked. */
export async function runAcceptance(commands: readonly string[], parts: AcceptanceParts): Promise<Verdict> {
  try {
    return await runChecks(commands, parts);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const because = `the workspace cannot be read, so it cannot be checked: ${error.message}`;
    return { verified: "refused", acceptance: [], because, tree: null };
  }
}

/**
 * Runs the checks one after the other until one fails. What was checked must be what is there afterwards:
 * a tree that changed in the meantime, by the check itself or by something left running, makes the check stale.
 */
async function runChecks(commands: readonly string[], parts: AcceptanceParts): Promise<Verdict> {
  if (commands.length === 0) return { verified: "not_checked", acceptance: [], because: undefined, tree: null };
  const { digest } = await parts.store.take();
  const acceptance: Acceptance[] = [];
  for (const command of commands) {
    const end = await parts.runCheck(command);
    acceptance.push({ command, exit_code: end.code, tree: digest });
    if (end.code !== 0) {
      const said = end.output === "" ? "" : `\n${end.output}`;
      return { verified: "refused", acceptance, because: `'${command}' ${end.because}${said}`, tree: digest };
    }
  }
  const after = await parts.store.take();
  if (after.digest !== digest)
    return {
      verified: "stale",
      acceptance,
      because: "the workspace changed while or after it was checked",
      tree: after.digest,
    };
  return { verified: "accepted", acceptance, because: undefined, tree: digest };
}
