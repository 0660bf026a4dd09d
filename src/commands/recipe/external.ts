import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveAgent } from "../../agents/active-agent.ts";
import type { AgentPack } from "../../agents/pack/agent-pack.ts";
import { findPack, isAgentName } from "../../agents/packs.ts";
import { openSpillover, type Spillover } from "../../agents/spillover.ts";
import type { Policy } from "../../contract/policy.ts";
import { readTrust } from "../../guard/policy/trust.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { isInside } from "../../lib/path/inside.ts";
import { endTree } from "../../lib/process/end-tree.ts";
import { markWork } from "../../lib/process/left-work.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { type CheckedRunner, checkRunner, findRunner, RUNNER_NAME } from "../../recipes/bridge/find-runner.ts";
import { banner, runRunner } from "../../recipes/bridge/run-runner.ts";
import {
  agentSteps,
  checkFields,
  refuseAddresses,
  runnerContext,
  wholeRecipe,
} from "../../recipes/bridge/runner-context.ts";
import { openRunnerPlace, runnerEnvironment, type RunnerPlace } from "../../recipes/bridge/runner-place.ts";
import type { FoundRecipe } from "../../recipes/recipe/find-recipe.ts";
import type { LoadedRecipe } from "../../recipes/recipe/load-recipe.ts";
import { untrustedFile } from "../../recipes/recipe/recipe-trust.ts";
import type { Context } from "../../recipes/recipe/recipe.ts";
import { createRunFolder } from "../../recipes/run/run-folder.ts";
import type { RecipeOptions } from "../../recipes/run/run-parts.ts";
import type { RecipeEnd } from "../../recipes/run/run-recipe.ts";
import type { RecipeResult } from "../../recipes/run/step-result.ts";
import { commandMarks, endLeftCommands } from "../../sandbox/run/left-commands.ts";
import { chosenPolicy } from "../active-policy.ts";
import {
  asFailure,
  checkTrust,
  notContained,
  refuseDeepRecipe,
  refuseHooks,
  refuseInSession,
  refuseRules,
  subRecipe,
} from "./may-run.ts";
import { sealExternalRun } from "./seal.ts";
import { openInterruption } from "./session.ts";
import { BAD_ARGUMENTS, type Started } from "./start.ts";

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
  refuseAddresses(recipes, context);
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
  using scratch = openScratch({ home: setting.home, runId, shim: agent.shim, files: allFiles(recipes) });
  const steps = startedAgents(run);
  refuseRules(flags, steps);
  const environment = environmentOf(run, scratch.shims);
  await using place = await asFailure(() =>
    openRunnerPlace({
      policy,
      home: setting.home,
      environment,
      runId,
      readable: [...visibleRunner(run), ...scratch.readable],
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
  let result: RecipeResult;
  try {
    result = await execute(run, { place, scratch, environment });
  } catch (error) {
    if (isUserError(error)) seal(noResult(run, startedAt), error.message);
    throw error;
  }
  seal(result);
  return ended(result);
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
    file: recipeCopy(scratch.recipes, files[0]?.name ?? ""),
    options,
    folders: [scratch.recipes],
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

/** The runner, where the sandbox does not show it anyway. */
const visibleRunner = ({ runner, policy }: ExternalRun) =>
  [...new Set([runner.path, runner.real])].filter((path) => !isInside(path, policy.workspaceRoot));

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

/** The private folder of a run of the external runner. Disposing it removes everything in it. */
interface Scratch extends Disposable {
  /** The folder with our shim, for its PATH. */
  readonly shims: string | undefined;
  /** The folder with the recipes as they were checked, by name. */
  readonly recipes: string;
  /** What the runner and its steps read. */
  readonly readable: readonly string[];
  readonly spill: Spillover["spill"];
}

interface ScratchPlace {
  readonly home: string;
  readonly runId: string;
  /** The program that our shim stands in for. */
  readonly shim: string | undefined;
  readonly files: readonly FoundRecipe[];
}

function openScratch({ home, runId, shim, files }: ScratchPlace): Scratch {
  const texts = textsByName(files);
  const folder = createRunFolder(home, runId);
  const own = (name: string) => join(folder.path, name);
  const [shims, values, recipes] = [own("shims"), own("values"), own("recipes")];
  for (const path of [shims, values, recipes]) mkdirSync(path, { mode: 0o700 });
  if (shim !== undefined) symlinkSync(join(packageFolder(), "shims", shim), join(shims, shim));
  for (const [name, { text }] of texts) {
    const copy = recipeCopy(recipes, name);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    writeFileSync(copy, text, { mode: 0o600 });
  }
  const spillover = openSpillover(values);
  return {
    shims: shim === undefined ? undefined : shims,
    recipes,
    readable: [shims, values, recipes],
    spill: (value) => spillover.spill(value),
    [Symbol.dispose]() {
      spillover[Symbol.dispose]();
      folder[Symbol.dispose]();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

/** Where the copy of a recipe is. */
const recipeCopy = (folder: string, name: string): string => join(folder, `${name}.yaml`);

/** The external runner knows recipes by their names only. */
function textsByName(files: readonly FoundRecipe[]): ReadonlyMap<string, FoundRecipe> {
  const known = new Map<string, FoundRecipe>();
  for (const file of files) {
    const other = known.get(file.name) ?? file;
    if (other.text !== file.text)
      throw new UserError(
        `two different recipes are called '${file.name}', and the external runner would mix them up`,
        {
          where: `${other.file}, ${file.file}`,
          fix: "rename one of them, or use --engine native",
          exitCode: EXIT.usage,
        },
      );
    known.set(file.name, other);
  }
  return known;
}
