import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentPack } from "../../agents/pack/agent-pack.ts";
import { findPack, isAgentName } from "../../agents/registry.ts";
import { resolveAgent } from "../../agents/resolve.ts";
import type { RunSetting } from "../../backplane/run/run-parts.ts";
import type { Policy } from "../../contract/policy.ts";
import { readTrust } from "../../guard/policy/trust.ts";
import { endTree } from "../../lib/end-tree.ts";
import { isInside } from "../../lib/inside.ts";
import { isInsideSession } from "../../lib/inside-session.ts";
import { markWork } from "../../lib/left-work.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import { startTime } from "../../lib/process-table.ts";
import { randomId } from "../../lib/random-id.ts";
import { say } from "../../lib/say.ts";
import { EXIT, isUserError, UserError } from "../../lib/user-error.ts";
import { type CheckedRunner, checkRunner } from "../../recipes/bridge/check-runner.ts";
import { findRunner, RUNNER_NAME } from "../../recipes/bridge/find-runner.ts";
import { runnerContext } from "../../recipes/bridge/runner-context.ts";
import { runnerEnvironment } from "../../recipes/bridge/runner-environment.ts";
import { openRunnerPlace, type RunnerPlace } from "../../recipes/bridge/runner-place.ts";
import { banner, runRunner } from "../../recipes/bridge/run-runner.ts";
import { agentSteps, checkFields, wholeRecipe } from "../../recipes/bridge/whole-recipe.ts";
import { besideFolder, type LoadedRecipe } from "../../recipes/places/load-recipe.ts";
import { untrustedFile } from "../../recipes/places/recipe-trust.ts";
import type { Context } from "../../recipes/recipe/recipe.ts";
import type { RecipeOptions } from "../../recipes/run/run-parts.ts";
import type { RecipeEnd } from "../../recipes/run/run-recipe.ts";
import type { RecipeResult } from "../../recipes/run/step-result.ts";
import { commandMarks, endLeftCommands } from "../../tools/command/left-commands.ts";
import { chosenPolicy } from "../active-policy.ts";
import { BAD_ARGUMENTS } from "./context-flags.ts";
import { openInterruption } from "./interruption.ts";
import { asFailure, checkTrust, notContained, refuseDeepRecipe, subRecipe } from "./may-run.ts";
import { openScratch, type Scratch } from "./scratch.ts";
import { sealExternalRun } from "./seal.ts";
import type { Started } from "./start.ts";

type Flags = Readonly<Record<string, unknown>>;

interface ExternalParts {
  readonly flags: Flags;
  readonly setting: RunSetting;
  readonly options: RecipeOptions;
}

/** Everything that is decided before the external runner starts. */
interface ExternalRun extends ExternalParts {
  readonly started: Started;
  readonly recipes: readonly LoadedRecipe[];
  readonly context: Context;
  readonly policy: Policy;
  readonly agent: ChosenAgent;
  readonly runner: CheckedRunner;
  readonly runId: string;
}

/** Runs a recipe with the external runner. There is no fallback to our own. */
export async function rustRun(started: Started, parts: ExternalParts): Promise<RecipeEnd> {
  const { flags, setting, options } = parts;
  const { recipe } = started.loaded;
  refuseInSession();
  const place = { started, isYes: flags["yes"] === true, home: setting.home };
  checkTrust(started.loaded, place);
  const recipes = wholeRecipe(started.loaded, (name, parent) => subRecipe(name, parent, place));
  checkFields(recipes, say);
  if (options.isDryRun) refuseHooks(recipes);
  const { context, problem } = runnerContext(recipe, started.context, started.workingDir);
  if (problem !== undefined)
    return ended({ recipe_name: recipe.name, success: false, step_results: [problem], context, duration: 0 });
  await refuseDeepRecipe();
  await endLeftCommands(setting.home, say);
  const { policy } = chosenPolicy(flags, started.workingDir);
  const agent = chosenAgent(started);
  const runId = randomUUID();
  const found = findRunner(process.env, started.workingDir);
  found.warnings.forEach(say);
  const run = { ...parts, started, recipes, context, policy, agent, runId };
  const runner = await checkRunner(found, { environment: environmentOf(run, undefined) });
  print(banner("starting", recipe.name));
  return await placedRun({ ...run, runner });
}

const print = (text: string) => void process.stderr.write(`${text}\n`);

const ended = (result: RecipeResult): RecipeEnd => ({ result, end: result.success ? "completed" : "failed" });

async function placedRun(run: ExternalRun): Promise<RecipeEnd> {
  const { setting, runId, policy, recipes, runner, started, flags, agent } = run;
  using scratch = openScratch({ home: setting.home, runId, shim: agent.shim });
  const steps = startedAgents(run);
  refuseRules(flags, steps);
  const environment = environmentOf(run, scratch.shims);
  await using place = await asFailure(() =>
    openRunnerPlace({
      policy,
      home: setting.home,
      environment,
      runId,
      readable: [...outsideWorkspace(run), ...scratch.readable],
      requireSandbox: flags["requireSandbox"] === true,
      warn: say,
      agentSteps: steps,
    }),
  );
  if (!place.inside && untrustedFile(allFiles(recipes), readTrust(setting.home)) !== undefined) throw notContained();
  say(`${RUNNER_NAME} ${runner.version} runs ${started.loaded.recipe.name} ${placeWords(place, steps)}`);
  const startedAt = new Date();
  const seal = (result: RecipeResult, because?: string) =>
    sealExternalRun({ ended: ended(result), because, runId, startedAt, runner, place, policy, setting });
  try {
    const result = await execute(run, { place, scratch, environment });
    seal(result);
    return ended(result);
  } catch (error) {
    if (isUserError(error)) seal(noResult(run, startedAt), error.message);
    throw error;
  }
}

interface Execution {
  readonly place: RunnerPlace;
  readonly scratch: Scratch;
  readonly environment: Readonly<Record<string, string>>;
}

async function execute(run: ExternalRun, { place, scratch, environment }: Execution): Promise<RecipeResult> {
  const { started, runner, context, options, setting } = run;
  const { recipe, files } = started.loaded;
  const session = randomId();
  using _mark = markWork(commandMarks(setting.home), session);
  using interruption = openInterruption(recipe.budget.seconds);
  const argv = {
    runner: runner.path,
    file: files[0]?.file ?? "",
    options,
    folders: recipeFolders(run),
    context,
    spill: scratch.spill,
    warn: say,
  };
  const order = {
    argv,
    placed: place.argv,
    recipe: recipe.name,
    folder: started.workingDir,
    environment,
    session,
    print,
  };
  try {
    return await runRunner(order, interruption.signal);
  } finally {
    // What the runner left behind.
    await endTree({ id: session, since: startTime(process.pid) ?? "0" });
  }
}

/** In the order in which we look, so that the runner finds the same recipes. */
function recipeFolders({ recipes, started }: ExternalRun): readonly string[] {
  const folders = [...recipes.flatMap(({ files }) => files.map(besideFolder)), ...started.folders];
  return [...new Set(folders.map(({ path }) => path))].filter((path) => existsSync(path));
}

/** Only these files, because a whole folder could have secrets. In the workspace they can be read anyway. */
function outsideWorkspace({ runner, recipes, policy }: ExternalRun): readonly string[] {
  const paths = [runner.path, runner.real, ...allFiles(recipes).map(({ file }) => file)];
  return [...new Set(paths)].filter((path) => !isInside(path, policy.workspaceRoot));
}

const allFiles = (recipes: readonly LoadedRecipe[]) => recipes.flatMap(({ files }) => files);

const startedAgents = ({ recipes, options }: Pick<ExternalRun, "recipes" | "options">) =>
  options.isDryRun ? [] : agentSteps(recipes);

const placeWords = ({ inside, because }: RunnerPlace, steps: readonly string[]) =>
  inside
    ? "in the sandbox"
    : `outside the sandbox, because ${because}; its commands are not judged${steps.length > 0 ? ", its agents are" : ""}`;

const noResult = ({ started, context }: ExternalRun, startedAt: Date): RecipeResult => ({
  recipe_name: started.loaded.recipe.name,
  success: false,
  step_results: [],
  context,
  duration: (Date.now() - startedAt.getTime()) / 1000,
});

interface ChosenAgent {
  readonly name: string;
  readonly pack: AgentPack | undefined;
  /** The program that we stand in for on PATH, if its calls need it. */
  readonly shim: string | undefined;
}

function chosenAgent({ agent: named, workingDir }: Started): ChosenAgent {
  if (named !== undefined && !isAgentName(named))
    throw new UserError(`the external runner cannot start '${named}'`, {
      where: "--agent",
      fix: "name an agent that signalbox can start, or use --engine native",
      exitCode: BAD_ARGUMENTS,
    });
  const active = resolveAgent(workingDir, process.env);
  if (named === undefined) active.warnings.forEach(say);
  const name = named ?? active.agent;
  const pack = findPack(name);
  return { name, pack, shim: pack?.nested === undefined ? undefined : pack.program.binary };
}

function environmentOf(
  { agent, policy, runId, ...run }: Omit<ExternalRun, "runner">,
  shims: string | undefined,
): Readonly<Record<string, string>> {
  return runnerEnvironment({
    env: process.env,
    workspace: policy.workspaceRoot,
    agent: { name: agent.name, loginVariables: agent.pack?.program.loginVariables },
    startsAgents: startedAgents(run).length > 0,
    passVariables: policy.passVariables ?? [],
    shims,
    launcher: join(packageFolder(), "bin/signalbox"),
    runId,
  });
}

/** An agent could choose a runner, and its commands would not be judged. */
function refuseInSession(): void {
  if (!isInsideSession(process.env)) return;
  throw new UserError("the external runner cannot be started inside an agent's session", {
    where: "--engine rust",
    fix: "use --engine native, or start it from your own terminal",
    exitCode: EXIT.failed,
  });
}

/** The agents of the runner are launched like any other, so they have the rules in effect and no others. */
function refuseRules(flags: Flags, steps: readonly string[]): void {
  const flag = ["policy", "preset"].find((name) => flags[name] !== undefined);
  if (flag === undefined || steps.length === 0) return;
  throw new UserError(`--${flag} does not reach agents that the external runner starts (${steps.join(", ")})`, {
    where: `--${flag}`,
    fix: "use --engine native, or change the policy in effect",
    exitCode: BAD_ARGUMENTS,
  });
}

function refuseHooks(recipes: readonly LoadedRecipe[]): void {
  const one = recipes.find(({ recipe }) => Object.values(recipe.hooks).some((hook) => hook !== undefined));
  if (one === undefined) return;
  throw new UserError("the external runner runs hooks even in a dry run", {
    where: one.files[0]?.file ?? one.recipe.name,
    fix: "use --engine native, which runs nothing in a dry run",
    exitCode: BAD_ARGUMENTS,
  });
}
