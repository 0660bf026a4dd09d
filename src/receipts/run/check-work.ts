import { join } from "node:path";
import { addUsage, type HostEnd, NO_USAGE } from "../../contract/receipt.ts";
import { isInside } from "../../lib/path/inside.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { acceptWork, NOT_CHECKED, type WorkCheck } from "../acceptance/accept-work.ts";
import type { KeptBase } from "../acceptance/check-base.ts";
import { recordBase } from "../acceptance/record-base.ts";
import type { FollowUp } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import type { OpenRun } from "./open-run.ts";
import type { Check } from "./run-setup.ts";

/** Records what decides the checks of a run before the agent starts. Undefined without checks. */
export async function recordCheckBase({ setup, log, stops }: OpenRun, root: string): Promise<KeptBase | undefined> {
  const { accept, acceptKeep: keep = [], processes } = setup;
  if (accept.length === 0) return undefined;
  const path = processes.environment?.["PATH"] ?? "";
  return await recordBase({ root, commands: accept, keep, path }, join(log.folder, CHECK_BASE), stops.signal);
}

/** The folder of a run with what decides its checks. */
const CHECK_BASE = "check-base";

const CHECK_MS = 60 * 60 * 1000;

/** Runs the acceptance checks on what the agent made, but only if it claims to be done. */
export async function checkWork(run: OpenRun, workspace: OpenedWorkspace): Promise<WorkCheck> {
  const { setup, stops, progress } = run;
  if (stops.reason() !== undefined || progress.rounds.at(-1)?.end?.outcome !== "complete") return NOT_CHECKED;
  const { accept, acceptChanged: allowed = [], processes, limits } = setup;
  const { run_id: runId } = run.header;
  const { signal } = stops;
  // A check never gets more time than the whole run was allowed.
  const timeoutMs = Math.min(CHECK_MS, limits.wallMs);
  const sandbox = sandboxOfChecks(run, workspace.root);
  const runCheck = (command: string, cwd = workspace.root) =>
    processes.runCheck({ sandbox, runId, command, cwd, timeoutMs, signal });
  const { checkBase: kept } = progress;
  const { environment = {} } = processes;
  const base = kept && { kept, allowed, id: runId, environment, signal };
  return await acceptWork(accept, { store: workspace.store, runCheck, base });
}

/** Where checks run. A staged run works on a copy, which is the workspace then. */
function sandboxOfChecks({ setup, progress }: OpenRun, root: string): Check["sandbox"] {
  const { policy, home, containChecks } = setup;
  if (containChecks === false || policy.sandbox === "off") return undefined;
  return {
    policy: isInside(root, policy.workspaceRoot) ? policy : { ...policy, workspaceRoot: root },
    home,
    isRequired: policy.sandbox !== "auto" || progress.rounds.at(-1)?.host.containment?.()?.contained === true,
  };
}

/** What is known after a round whose result was not accepted. */
export interface FailedRound {
  /** The number of the next round. */
  readonly round: number;
  readonly task: string;
  /** Why the result was not accepted: a line, and the end of the check's output. */
  readonly because: string;
  /** One line per changed file, in the form of `git status`. Undefined when the workspace cannot be read. */
  readonly changed: string | undefined;
  /** How the rounds so far have ended. */
  readonly ends: readonly HostEnd[];
}

const ADVICE =
  "Find the cause, fix it, and run the check yourself before you say that you are done. Do not weaken the check: undo your changes to files that decide it. Only the user can allow those.";

/** What the agent is told in the conversation that it already had. */
export function followUpOf({ round, because, ends }: FailedRound): FollowUp {
  const session = ends.at(-1)?.session;
  const used = ends.filter((end) => end.session === session).reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  return { round, session, used, prompt: `${verdictText(because)}\n\n${ADVICE}` };
}

/** The same for an agent that knows nothing of it. */
export const factsOf = ({ task, because, changed }: FailedRound): string =>
  [
    task,
    "An agent has already worked on this task in this folder and said that it was done. Continue from what is there.",
    changed === undefined ? "" : changedText(changed),
    verdictText(because),
    ADVICE,
  ]
    .filter((part) => part !== "")
    .join("\n\n");

const verdictText = (because: string) =>
  `This is not finished. The work was checked and not accepted: ${harmless(printable(because))}`;

const MAX_FILES = 100;

function changedText(status: string): string {
  const lines = status.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return "No file has been changed so far.";
  const shown = lines.slice(0, MAX_FILES).map((line) => harmless(printableLine(line)));
  const more = lines.length > MAX_FILES ? [`… and ${lines.length - MAX_FILES} more`] : [];
  return ["Files changed so far:", ...shown, ...more].join("\n");
}

/**
 * Agents read the file behind an `@` in a prompt before any rule is asked. What a check prints, or a file's name, must
 * not make them do that.
 */
const harmless = (text: string) => text.replaceAll(/@(?=\S)/g, "@ ");
