import { join } from "node:path";
import { changedCheckVerdict } from "../../contract/gate-reason.ts";
import { addUsage, type HostEnd, NO_USAGE, type Usage } from "../../contract/receipt.ts";
import type { Acceptance, SealFacts } from "../../contract/seal.ts";
import { isInside } from "../../lib/path/inside.ts";
import { GitFailure } from "../../lib/process/run-git.ts";
import type { SnapshotStore } from "../../snapshots/snapshot.ts";
import type { KeptBase } from "../acceptance/check-base.ts";
import { type BaseVerdict, checkWithBase, compareNow } from "../acceptance/check-with-base.ts";
import { recordBase } from "../acceptance/record-base.ts";
import type { StopCause } from "./limits.ts";
import type { OpenRun, WorkedRun } from "./open-run.ts";
import type { Check, CheckEnd, RunParts, RunStep } from "./run-parts.ts";

/** The result of our own checks on the final tree. */
export interface WorkCheck {
  readonly verified: SealFacts["verified"];
  readonly acceptance: readonly Acceptance[];
  /** Why the work was not accepted. */
  readonly because: string | undefined;
  readonly tree: string | null;
}

export const NOT_CHECKED: WorkCheck = { verified: "not_checked", acceptance: [], because: undefined, tree: null };

const CHECK_MS = 60 * 60 * 1000;

/** Runs the acceptance checks, but only for a run that claims to be done. */
export async function checkWork(run: WorkedRun, stop: StopCause | undefined, parts: RunParts): Promise<WorkCheck> {
  const store = run.workspace?.store;
  if (stop !== undefined || run.end?.outcome !== "complete" || store === undefined) return NOT_CHECKED;
  const cwd = run.workspace?.workspace.root ?? run.header.root;
  const { run_id: runId } = run.header;
  const { signal, limits } = parts;
  // A check never gets more time than the whole run was allowed.
  const timeoutMs = Math.min(CHECK_MS, limits.wallMs);
  const sandbox = sandboxOfChecks(run, cwd, parts);
  const runCheck = (command: string, folder = cwd) =>
    parts.processes.runCheck({ sandbox, runId, command, cwd: folder, timeoutMs, signal });
  const { checkBase: kept } = run;
  if (kept === undefined) return await runAcceptance(parts.accept, { store, runCheck });
  const { acceptChanged: allowed = [], processes } = parts;
  const first = await compareNow({ kept, allowed, signal });
  const checked = await runAcceptance(parts.accept, { store, runCheck });
  if (checked.verified !== "accepted") return checked;
  const { environment = {} } = processes;
  const base = { kept, allowed, id: runId, run: runCheck, environment, signal };
  return withBase(checked, await checkWithBase(parts.accept, first, base));
}

/** Where checks run. A staged run works on a copy, which is the workspace then. */
function sandboxOfChecks(run: WorkedRun, root: string, { policy, home, containChecks }: RunParts): Check["sandbox"] {
  if (containChecks === false || policy.sandbox === "off") return undefined;
  return {
    policy: isInside(root, policy.workspaceRoot) ? policy : { ...policy, workspaceRoot: root },
    home,
    isRequired: policy.sandbox !== "auto" || run.host?.containment?.()?.contained === true,
  };
}

/** Records what decides the checks of a run before the agent starts. Undefined without checks. */
export async function recordCheckBase(run: OpenRun, root: string, parts: RunParts): Promise<KeptBase | undefined> {
  const { accept, acceptKeep: keep = [], processes } = parts;
  if (accept.length === 0) return undefined;
  const path = processes.environment?.["PATH"] ?? "";
  return await recordBase({ root, commands: accept, keep, path }, join(run.log.folder, CHECK_BASE), run.stops.signal);
}

/** The folder of a run with what decides its checks. */
const CHECK_BASE = "check-base";

/** What the second run adds to checks that passed. */
function withBase(checked: WorkCheck, verdict: BaseVerdict | undefined): WorkCheck {
  if (verdict === undefined) return checked;
  const { command, facts, isAccepted, output } = verdict;
  const acceptance = checked.acceptance.map((entry) => (entry.command === command ? { ...entry, base: facts } : entry));
  if (isAccepted) return { ...checked, acceptance };
  const because = [changedCheckVerdict(command, facts, verdict.idlePatterns), ...(output === "" ? [] : [output])];
  return { ...checked, verified: "changed_check", acceptance, because: because.join("\n") };
}

interface AcceptanceParts {
  readonly store: Pick<SnapshotStore, "take">;
  readonly runCheck: (command: string) => Promise<CheckEnd>;
}

/** Runs the checks. If the workspace cannot be read, the work is not accepted, since we don't know what was checked. */
async function runAcceptance(commands: readonly string[], parts: AcceptanceParts): Promise<WorkCheck> {
  try {
    return await runChecks(commands, parts);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const because = `cannot read the workspace, so it cannot be checked: ${error.message}`;
    return { verified: "refused", acceptance: [], because, tree: null };
  }
}

/**
 * Runs the checks in order until one fails. If the tree changes in the meantime, by the check itself or by a process
 * left running, the result is stale.
 */
async function runChecks(commands: readonly string[], parts: AcceptanceParts): Promise<WorkCheck> {
  if (commands.length === 0) return NOT_CHECKED;
  const { digest } = await parts.store.take();
  const acceptance: Acceptance[] = [];
  for (const command of commands) {
    const end = await parts.runCheck(command);
    acceptance.push({ command, exit_code: end.code, tree: digest });
    if (end.code !== 0) {
      const output = end.output === "" ? "" : `\n${end.output}`;
      return { verified: "refused", acceptance, because: `'${command}' ${end.because}${output}`, tree: digest };
    }
  }
  const after = await parts.store.take();
  if (after.digest !== digest)
    return {
      verified: "stale",
      acceptance,
      because: "the workspace changed during or after the check",
      tree: after.digest,
    };
  return { verified: "accepted", acceptance, because: undefined, tree: digest };
}

/** A run with what the checks found. `host`, `end` and `checked` are those of its current round. */
export interface CheckedRun extends WorkedRun {
  readonly checked?: WorkCheck;
  /** The rounds before, whose results were not accepted. */
  readonly earlier?: readonly EndedRound[];
}

interface EndedRound {
  readonly host: WorkedRun["host"] | undefined;
  readonly end: HostEnd | undefined;
  readonly checked: WorkCheck;
}

/** The current state of the run, and the next step to show, if any. */
export interface WorkStep<Run extends CheckedRun = CheckedRun> {
  readonly run: Run;
  readonly step?: RunStep;
}

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
