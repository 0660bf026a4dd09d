import { realpathSync } from "node:fs";
import { join } from "node:path";
import { readyForRuns, recoverRuns } from "../../backplane/run/recover-runs.ts";
import type { RunSetting } from "../../backplane/run/run-parts.ts";
import { readTrust } from "../../guard/policy/trust.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { say } from "../../lib/say.ts";
import { EXIT } from "../../lib/user-error.ts";
import { mayLeaveSandbox, untrustedFile } from "../../recipes/places/recipe-trust.ts";
import { NO_JOURNAL } from "../../recipes/run/journal.ts";
import { withRateLimit } from "../../recipes/run/rate-limit.ts";
import type { RecipeParts, RecipeOptions } from "../../recipes/run/run-parts.ts";
import { PREFLIGHT, type RecipeEnd, runRecipe } from "../../recipes/run/run-recipe.ts";
import { openRecipeShell } from "../../recipes/shell/open-shell.ts";
import { progressLines } from "../../recipes/show/progress.ts";
import { endLeftCommands } from "../../tools/command/left-commands.ts";
import { sessionPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { textsFlag } from "../flags.ts";
import { runSetting } from "../run/setting.ts";
import { agentRunner } from "./agent-step.ts";
import { askPerson } from "./ask.ts";
import { secondsFlag, wordsFlag } from "./context-flags.ts";
import { engineOf, refuseForeignFlags } from "./engine.ts";
import { rustRun } from "./external.ts";
import { bundledRecipes } from "./find.ts";
import { openInterruption } from "./interruption.ts";
import { checkTrust, notContained, refuseDeepRecipe, subRecipe } from "./may-run.ts";
import { formatOf, printResult } from "./print-result.ts";
import { sealRecipeRun, traceOf } from "./seal.ts";
import { type CallingSession, callingSession } from "./session.ts";
import { type Started, startOf } from "./start.ts";

type Flags = Readonly<Record<string, unknown>>;

/** Runs a recipe and prints its result. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const format = formatOf(flags);
  const setting = runSetting(process.env);
  refuseForeignFlags(flags, process.env);
  const started = startOf(words, flags, setting.home);
  for (const warning of started.loaded.warnings) say(`warning: ${warning}`);
  const { end, result } = await chosenRun(started, flags, setting);
  await printResult(result, format);
  return end === "completed" ? EXIT.ok : EXIT.failed;
}

async function chosenRun(started: Started, flags: Flags, setting: RunSetting): Promise<RecipeEnd> {
  if (engineOf(flags, process.env) === "rust")
    return await rustRun(started, { flags, setting, options: optionsOf(flags, started.workingDir) });
  return flags["dryRun"] === true ? await dryRun(started, flags) : await realRun(started, flags, setting);
}

const show: RecipeParts["report"] = (event) => {
  for (const line of progressLines(event)) process.stderr.write(`${line}\n`);
};

function optionsOf(flags: Flags, workingDir: string): RecipeOptions {
  return {
    workingDir,
    stepTimeout: secondsFlag(flags, "stepTimeout"),
    includeTags: wordsFlag(flags, "includeTags"),
    excludeTags: wordsFlag(flags, "excludeTags"),
    autoStage: flags["autoStage"] !== false,
    isDryRun: flags["dryRun"] === true,
  };
}

/** Nothing can run here, whatever the recipe says: there is no shell and no agent. */
async function dryRun({ loaded, context, workingDir }: Started, flags: Flags): Promise<RecipeEnd> {
  const nothing = async () => {
    throw new Error("a dry run tried to run something");
  };
  return await runRecipe(loaded, context, {
    options: optionsOf(flags, workingDir),
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

async function realRun(started: Started, flags: Flags, setting: RunSetting): Promise<RecipeEnd> {
  const { loaded, workingDir } = started;
  const isYes = flags["yes"] === true;
  checkTrust(loaded, { isYes, home: setting.home });
  await refuseDeepRecipe();
  const session = callingSession(process.env, findWorkspace(realpathSync(workingDir)));
  await endLeftCommands(setting.home, say);
  const policy = sessionPolicy(flags, workingDir);
  const { folder, journal, isResumed } = started.open(setting.home);
  using _folder = folder;
  // An agent step of a killed run may still be active.
  if (isResumed) await recoverRuns(setting);
  using _journal = journal;
  say(`recipe run ${folder.runId}: ${loaded.recipe.name}`);
  await using shell = openRecipeShell({
    policy,
    home: setting.home,
    environment: process.env,
    runId: folder.runId,
    folder: folder.path,
    requireSandbox: flags["requireSandbox"] === true || session?.requiresSandbox === true,
    isRead: isYes && session === undefined,
    outside: textsFlag(flags, "outside"),
    isInSession: session !== undefined,
    alsoJudge: session?.alsoJudge,
    ask: (_, question) => askPerson(question, session),
    warn: say,
  });
  const mayRunOnce = isYes && (await shell.isContained());
  if (!mayRunOnce && untrustedFile(loaded.files, readTrust(setting.home)) !== undefined) throw notContained();
  const trace = traceOf(show);
  const startedAt = new Date().toISOString();
  using limit = openInterruption(loaded.recipe.budget.seconds);
  const ended = await runRecipe(loaded, started.context, {
    ...deciders(started, { ...flags, yes: mayRunOnce }, { setting, session }),
    runShell: (request, signal) => shell.run(request, signal),
    journal,
    report: trace.report,
    signal: limit.signal,
  });
  const receipts = journal.receipts();
  sealRecipeRun({ ended, folder, isResumed, startedAt, trace: trace.events(), receipts, shell, policy, setting });
  const isStarted = ended.result.step_results[0]?.step_id !== PREFLIGHT;
  if (ended.end !== "completed" && isStarted) say(`to continue: signalbox recipe run --resume ${folder.runId}`);
  return ended;
}

interface Callers {
  readonly setting: RunSetting;
  readonly session: CallingSession | undefined;
}

type Deciders = Pick<RecipeParts, "options" | "runAgent" | "ask" | "findRecipe" | "mayLeave">;

/** What the command line decides: options, agents, approvals, and which recipes may run. */
function deciders(started: Started, flags: Flags, { setting, session }: Callers): Deciders {
  const { workingDir } = started;
  const trusted = readTrust(setting.home);
  const approved = textsFlag(flags, "approve");
  const isYes = flags["yes"] === true;
  const agents = {
    flags: { ...flags, agent: started.agent },
    deniedTools: session?.deniedTools ?? [],
    setting,
    personas: { workspace: findWorkspace(workingDir), bundled: join(bundledRecipes(), "agents") },
    warn: say,
  };
  return {
    options: optionsOf(flags, workingDir),
    runAgent: withRateLimit(recovered(agentRunner(agents), setting), { env: process.env, warn: say }),
    ask: async (step, question) => (approved.includes(step) ? true : await askPerson(question, session)),
    findRecipe: (name, parent) => subRecipe(name, parent, { started, isYes, home: setting.home }),
    mayLeave: (recipe) => session === undefined && mayLeaveSandbox(recipe.files, trusted),
  };
}

/** Before the first agent starts, runs that were killed get their receipts. */
function recovered(runAgent: RecipeParts["runAgent"], setting: RunSetting): RecipeParts["runAgent"] {
  let ready: Promise<unknown> | undefined;
  return async (request, signal) => {
    ready ??= readyForRuns(setting);
    await ready;
    return await runAgent(request, signal);
  };
}
