import { realpathSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { readTrust } from "../../guard/policy/trust.ts";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { readyForRuns, recoverRuns } from "../../receipts/run/recover-runs.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { mayLeaveSandbox, untrustedFile } from "../../recipes/recipe/recipe-trust.ts";
import { withRateLimit } from "../../recipes/run/agent-step.ts";
import { NO_JOURNAL } from "../../recipes/run/journal.ts";
import { progressLines, type RecipeOptions, type RecipeParts } from "../../recipes/run/run-parts.ts";
import { PREFLIGHT, type RecipeEnd, runRecipe } from "../../recipes/run/run-recipe.ts";
import type { RecipeResult } from "../../recipes/run/step-result.ts";
import { openRecipeShell } from "../../recipes/shell/open-shell.ts";
import { endLeftCommands } from "../../sandbox/run/left-commands.ts";
import { sessionPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { printText, textFlag, textsFlag } from "../flags.ts";
import { runSetting } from "../run/setting.ts";
import { agentRunner } from "./agent-step.ts";
import { rustRun } from "./external.ts";
import { checkTrust, engineOf, notContained, refuseDeepRecipe, refuseForeignFlags, subRecipe } from "./may-run.ts";
import { sealRecipeRun, traceOf } from "./seal.ts";
import { askPerson, type CallingSession, callingSession, openInterruption } from "./session.ts";
import { BAD_ARGUMENTS, bundledRecipes, secondsFlag, type Started, startOf, wordsFlag } from "./start.ts";

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

const FORMATS = ["table", "json", "yaml"] as const;

type ResultFormat = (typeof FORMATS)[number];

function formatOf(flags: Readonly<Record<string, unknown>>): ResultFormat {
  if (flags["json"] === true) return "json";
  const name = textFlag(flags, "format") ?? "table";
  const format = FORMATS.find((each) => each === name);
  if (format !== undefined) return format;
  throw new UserError(`unknown format '${name}'`, {
    where: "--format",
    fix: `use one of: ${FORMATS.join(", ")}`,
    exitCode: BAD_ARGUMENTS,
  });
}

async function printResult(result: RecipeResult, format: ResultFormat): Promise<void> {
  if (format === "json") return await printText(`${JSON.stringify(result, null, 2)}\n`);
  if (format === "yaml") return await printText(stringify(result));
  const rows = result.step_results.map(
    ({ step_id: id, status, duration }) => `${status.padEnd(10)}${`${duration.toFixed(1)} s`.padStart(9)}  ${id}`,
  );
  const end = `${result.recipe_name}: ${result.success ? "succeeded" : "failed"} in ${result.duration.toFixed(1)} s`;
  const closing = closingText(result);
  const parts = closing === "" ? [...rows, end] : [...rows, "", closing, "", end];
  await printText(`${printable(parts.join("\n"))}\n`);
}

/** What the user wants to read: the output of the last step, or why it failed. */
function closingText({ success, step_results: results }: RecipeResult): string {
  const last = success ? results.at(-1) : results.findLast(({ status }) => status === "failed" || status === "blocked");
  if (last === undefined || last.status === "skipped") return "";
  if (success) return last.output.trim();
  const output = last.output.trim();
  return [`${last.step_id}: ${last.error.trim()}`, ...(output === "" ? [] : ["", lastLines(output)])].join("\n");
}

const MAX_LINES = 40;

function lastLines(text: string): string {
  const lines = text.split("\n");
  return lines.length <= MAX_LINES ? text : ["…", ...lines.slice(-MAX_LINES)].join("\n");
}
