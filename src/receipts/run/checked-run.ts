import { join } from "node:path";
import { addUsage, type HostEnd, NO_USAGE, type Usage } from "../../contract/receipt.ts";
import { isInside } from "../../lib/path/inside.ts";
import { acceptWork, NOT_CHECKED, type WorkCheck } from "../acceptance/accept-work.ts";
import type { KeptBase } from "../acceptance/check-base.ts";
import { recordBase } from "../acceptance/record-base.ts";
import type { StopCause } from "./limits.ts";
import type { OpenRun, WorkedRun } from "./open-run.ts";
import type { Check, RunParts, RunStep } from "./run-parts.ts";

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
  const { acceptChanged: allowed = [], processes } = parts;
  const { environment = {} } = processes;
  const base = kept && { kept, allowed, id: runId, environment, signal };
  return await acceptWork(parts.accept, { store, runCheck, base });
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
