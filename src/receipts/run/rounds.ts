import { newEvent } from "../../contract/agent-event.ts";
import { addUsage, type HostEnd, NO_USAGE } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { redact } from "../../guard/redact.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { compareSnapshots } from "../../snapshots/changes.ts";
import { NOT_CHECKED, type WorkCheck } from "../acceptance/accept-work.ts";
import type { FollowUp } from "../host.ts";
import { checkWork, usedSoFar, type WorkStep } from "./checked-run.ts";
import { type RoundJob, stopEvent, workWithHost } from "./host-round.ts";
import type { StopCause } from "./limits.ts";
import { keepEvent } from "./open-run.ts";
import type { GuardedRun } from "./run-guard.ts";
import type { RunParts } from "./run-parts.ts";

/** Lets the agent work and checks the result, until it is accepted, the rounds are over, or the run is stopped. */
export async function* workInRounds(guarded: GuardedRun, parts: RunParts): AsyncGenerator<WorkStep> {
  const rounds = parts.rounds ?? 1;
  let run: GuardedRun = rounds > 1 ? { ...guarded, round: 1, earlier: [] } : guarded;
  let job: RoundJob = { order: run.order };
  for (let round = 1; ; round++) {
    for await (const worked of workWithHost(run, job, parts)) {
      ({ run } = worked);
      yield worked;
    }
    // Nothing of the agent's may still be running while its work is checked.
    await parts.processes.endRun(run.header.run_id);
    run = { ...run, checked: await checkRound(run, parts) };
    yield { run };
    const { because } = run.checked ?? NOT_CHECKED;
    if (because === undefined || round >= rounds) return;
    yield { run, step: keepEvent(run, notAccepted(run, because, rounds)) };
    const stop = run.stops.reason() ?? spentLimit(run, parts.limits);
    if (stop !== undefined) {
      run.stops.stop(stop);
      yield { run, step: keepEvent(run, stopEvent(stop, run.end)) };
      return;
    }
    job = await nextJob(run, because, parts);
    run = nextRound(run);
  }
}

/** Checks the result of a round. If the run is stopped meanwhile, the check says nothing. */
async function checkRound(run: GuardedRun, parts: RunParts): Promise<WorkCheck> {
  const { stops, header } = run;
  const checked = await checkWork(run, stops.reason(), { ...parts, signal: stops.signal });
  // A check may have left processes running.
  if (checked.verified !== "not_checked") await parts.processes.endRun(header.run_id);
  if (run.round !== undefined) run.log.append({ t: "checked", acceptance: [...checked.acceptance] });
  return stops.reason() === undefined ? checked : { ...NOT_CHECKED, acceptance: checked.acceptance };
}

/** One attempt, with what all have used so far, for the receipt of a run that is killed later. */
function notAccepted(run: GuardedRun, because: string, rounds: number) {
  const usage = usedSoFar(run);
  const isKnown = Object.values(usage).some((count) => count !== null);
  const ext = { rounds, verified: run.checked?.verified ?? "refused", ...(isKnown ? { usage } : {}) };
  return newEvent({ type: "warning", message: `round ${run.round ?? 1} of ${rounds} not accepted: ${because}`, ext });
}

/** As far as it is known from events or from the ends of rounds. */
const spentUsd = (run: GuardedRun): number =>
  Math.max(run.watch.progress().costUsd, usedSoFar(run).estimated_cost_usd ?? 0);

/** The limit that leaves nothing for another round, if there is one. */
function spentLimit(run: GuardedRun, limits: RunParts["limits"]): StopCause | undefined {
  const { maxTurns, maxBudgetUsd, wallMs } = limits;
  const { turns } = run.watch.progress();
  const limit = (because: string): StopCause => ({
    stopped: "limit",
    because: `${because}, and the check still fails`,
  });
  if (run.elapsedMs() >= wallMs) return limit(`more than ${wallMs} ms`);
  if (maxTurns !== null && turns >= maxTurns) return limit(`all ${maxTurns} turns are used`);
  if (maxBudgetUsd !== null && spentUsd(run) >= maxBudgetUsd) return limit("all of the budget is used");
  return undefined;
}

/** What the next round gets: the failed check, and what is left of the limits. */
async function nextJob(run: GuardedRun, because: string, parts: RunParts): Promise<RoundJob> {
  const { order, earlier = [], end } = run;
  const ends = [...earlier.map((round) => round.end), end].filter((each) => each !== undefined);
  const failed: FailedRound = {
    round: (run.round ?? 1) + 1,
    task: order.task,
    // The check may see more of the environment than the agent does.
    because: redact(because, parts.secrets).text,
    changed: await changedFiles(run),
    ends,
  };
  return { order: { ...order, task: factsOf(failed), config: whatIsLeft(run) }, followUp: followUpOf(failed) };
}

/** Agents keep some limits themselves, for each start. */
function whatIsLeft(run: GuardedRun): WorkOrder["config"] {
  const { config } = run.order;
  const { max_turns: turns, max_budget_usd: budget } = config;
  return {
    ...config,
    max_turns: turns === null ? null : turns - run.watch.progress().turns,
    max_budget_usd: budget === null ? null : budget - spentUsd(run),
  };
}

/** Undefined when the workspace cannot be read. */
async function changedFiles({ workspace: { workspace, store } }: GuardedRun): Promise<string | undefined> {
  if (workspace.before === null) return undefined;
  try {
    return (await compareSnapshots(store, workspace.before, await store.take())).status;
  } catch {
    // The next check will say so.
    return undefined;
  }
}

function nextRound(run: GuardedRun): GuardedRun {
  const { host, end, checked = NOT_CHECKED, ...rest } = run;
  run.watch.beginRound();
  return { ...rest, round: (run.round ?? 1) + 1, earlier: [...(run.earlier ?? []), { host, end, checked }] };
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
