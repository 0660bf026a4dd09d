import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import type { Policy } from "../contract/policy.ts";
import { readTrust } from "../guard/policy/trust.ts";
import { findWorkspace } from "../lib/path/workspace.ts";
import { say } from "../lib/process/standard-streams.ts";
import { readyForRuns, recoverRuns } from "../receipts/run/recover-runs.ts";
import type { RunSetting } from "../receipts/run/run-setup.ts";
import { endLeftCommands } from "../sandbox/run/left-commands.ts";
import {
  checkTrust,
  mayLeaveSandbox,
  notContained,
  refuseDeepRecipe,
  stepRecipes,
  untrustedFile,
} from "./recipe/may-run.ts";
import { withRateLimit } from "./run/agent-step.ts";
import { NO_JOURNAL } from "./run/journal.ts";
import { progressLines, type RecipeOptions, type RecipeParts } from "./run/run-parts.ts";
import { PREFLIGHT, type RecipeEnd, runRecipe } from "./run/run-recipe.ts";
import { sealRun, traceOf } from "./run/seal-run.ts";
import type { StartedRun } from "./run/started-run.ts";
import { askPerson, callingSession, openInterruption } from "./shell/calling-session.ts";
import { openRecipeShell } from "./shell/open-shell.ts";

/** What a person says about a run. */
export interface RunRequest {
  readonly options: RecipeOptions;
  /** They have read the recipe. */
  readonly isYes: boolean;
  /** Steps that may leave the sandbox, and approval steps that are approved. */
  readonly outside: readonly string[];
  readonly approved: readonly string[];
  readonly requireSandbox: boolean;
  readonly policyFor: (folder: string) => Policy;
}

/** Starts agents that may not use these tools. */
type AgentsWithout = (deniedTools: readonly string[]) => RecipeParts["runAgent"];

/** Runs a recipe with our own runner. */
export async function runOwn(
  started: StartedRun,
  request: RunRequest,
  setting: RunSetting,
  agents: AgentsWithout,
): Promise<RecipeEnd> {
  const { loaded, workingDir } = started;
  const { home } = setting;
  checkTrust(loaded, home, request.isYes);
  await refuseDeepRecipe();
  const session = callingSession(process.env, findWorkspace(realpathSync(workingDir)));
  await endLeftCommands(home, say);
  const policy = request.policyFor(workingDir);
  const opened = started.open(home);
  using folder = opened.folder;
  // An agent step of a killed run may still be active.
  if (opened.isResumed) await recoverRuns(setting);
  using journal = opened.journal;
  say(`recipe run ${folder.runId}: ${loaded.recipe.name}`);
  await using shell = openRecipeShell({
    policy,
    home,
    environment: process.env,
    runId: folder.runId,
    folder: folder.path,
    requireSandbox: request.requireSandbox || session?.requiresSandbox === true,
    isRead: request.isYes && session === undefined,
    outside: request.outside,
    isInSession: session !== undefined,
    alsoJudge: session?.alsoJudge,
    ask: (_, question) => askPerson(question, session),
    warn: say,
  });
  const mayRunOnce = request.isYes && (await shell.isContained());
  const trusted = readTrust(home);
  if (!mayRunOnce && untrustedFile(loaded.files, trusted) !== undefined) throw notContained();
  const trace = traceOf(show);
  const startedAt = new Date();
  using limit = openInterruption(loaded.recipe.budget.seconds);
  const ended = await runRecipe(loaded, started.context, {
    options: request.options,
    runShell: (asked, signal) => shell.run(asked, signal),
    runAgent: withRateLimit(recovered(agents(session?.deniedTools ?? []), setting), process.env, say),
    ask: async (step, question) => (request.approved.includes(step) ? true : await askPerson(question, session)),
    findRecipe: stepRecipes(started.folders, home, mayRunOnce),
    mayLeave: ({ files }) => session === undefined && mayLeaveSandbox(files, trusted),
    journal,
    report: trace.report,
    signal: limit.signal,
  });
  const work = { workId: folder.runId, startedAt, trace: trace.events, receipts: journal.receipts() };
  const runId = opened.isResumed ? randomUUID() : folder.runId;
  sealRun(ended, { ...work, runId, ...timeAndReason(ended), ...shell.facts() }, policy, setting);
  const isStarted = ended.result.step_results[0]?.step_id !== PREFLIGHT;
  if (ended.end !== "completed" && isStarted) say(`to continue: signalbox recipe run --resume ${folder.runId}`);
  return ended;
}

const timeAndReason = ({ result, end }: RecipeEnd) => ({
  durationMs: Math.round(result.duration * 1000),
  because: end === "completed" ? "all steps ended" : "a step failed or is blocked",
});

/** Nothing can run here, whatever the recipe says: there is no shell and no agent. */
export async function dryRun({ loaded, context }: StartedRun, options: RecipeOptions): Promise<RecipeEnd> {
  const nothing = async () => {
    throw new Error("a dry run tried to run something");
  };
  return await runRecipe(loaded, context, {
    options,
    runShell: nothing,
    runAgent: nothing,
    ask: nothing,
    findRecipe: () => loaded,
    mayLeave: () => false,
    journal: NO_JOURNAL,
    report: show,
    signal: new AbortController().signal,
  });
}

const show: RecipeParts["report"] = (event) => {
  for (const line of progressLines(event)) process.stderr.write(`${line}\n`);
};

/** Before the first agent starts, runs that were killed get their receipts. */
function recovered(runAgent: RecipeParts["runAgent"], setting: RunSetting): RecipeParts["runAgent"] {
  let ready: Promise<unknown> | undefined;
  return async (request, signal) => {
    ready ??= readyForRuns(setting);
    await ready;
    return await runAgent(request, signal);
  };
}
