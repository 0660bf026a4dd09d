import { randomUUID } from "node:crypto";
import { newEvent } from "../contract/agent-event.ts";
import { readTrust } from "../guard/policy/trust.ts";
import { isInside } from "../lib/path/inside.ts";
import { say } from "../lib/process/standard-streams.ts";
import { isUserError } from "../lib/text/user-error.ts";
import type { RunSetting } from "../receipts/run/run-setup.ts";
import { endLeftCommands } from "../sandbox/run/left-commands.ts";
import { type CheckedRunner, checkRunner, findRunner, RUNNER_NAME } from "./bridge/find-runner.ts";
import { banner, print, runRunner } from "./bridge/run-runner.ts";
import {
  agentSteps,
  checkFields,
  refuseAddresses,
  refuseHooks,
  refuseInSession,
  refuseRules,
  runnerArgv,
  runnerContext,
  wholeRecipe,
} from "./bridge/runner-context.ts";
import { openRunnerFiles } from "./bridge/runner-files.ts";
import { openRunnerPlace, runnerAgent, runnerEnvironment, type RunnerPlace } from "./bridge/runner-place.ts";
import type { RunRequest } from "./own-run.ts";
import type { LoadedRecipe } from "./recipe/load-recipe.ts";
import { asFailure, checkTrust, notContained, refuseDeepRecipe, stepRecipes, untrustedFile } from "./recipe/may-run.ts";
import type { RecipeEnd } from "./run/run-recipe.ts";
import { eventsOf, sealRun } from "./run/seal-run.ts";
import type { StartedRun } from "./run/started-run.ts";
import type { RecipeResult } from "./run/step-result.ts";

/** Runs a recipe with the external runner. There is no fallback to our own. `rules` is a flag with rules of this run. */
export async function runExternal(
  started: StartedRun,
  request: RunRequest,
  setting: RunSetting,
  rules: string | undefined,
): Promise<RecipeEnd> {
  const { loaded, workingDir } = started;
  const { options } = request;
  const { home } = setting;
  const { name, budget } = loaded.recipe;
  const recipes = checkedRecipes(started, request, home);
  const { context, problem } = runnerContext(loaded.recipe, started.context, workingDir);
  const failed = { recipe_name: name, success: false, step_results: [], context, duration: 0 };
  if (problem !== undefined) return ended({ ...failed, step_results: [problem] });
  refuseAddresses(recipes, context);
  await refuseDeepRecipe();
  await endLeftCommands(home, say);
  const policy = request.policyFor(workingDir);
  const agent = runnerAgent(started.agent, workingDir);
  const runId = randomUUID();
  const found = findRunner(process.env, workingDir);
  found.warnings.forEach(say);
  const steps = options.isDryRun ? [] : agentSteps(recipes);
  const environment = runnerEnvironment(policy, agent, steps.length > 0, runId);
  const runner = await checkRunner(found, environment);
  print(banner("starting", name));

  const files = recipes.flatMap((recipe) => recipe.files);
  using own = openRunnerFiles(home, runId, agent.shim, files);
  refuseRules(rules, steps);
  const inside = own.withShim(environment);
  // The runner, where the sandbox does not show it anyway.
  const shown = [...new Set([runner.path, runner.real])].filter((file) => !isInside(file, policy.workspaceRoot));
  const { requireSandbox } = request;
  const containment = { policy, home, environment: inside, runId, requireSandbox, warn: say };
  await using place = await asFailure(() => openRunnerPlace(containment, [...shown, ...own.readable], steps));
  if (!place.inside && untrustedFile(files, readTrust(home)) !== undefined) throw notContained();
  say(`${RUNNER_NAME} ${runner.version} runs ${name} ${placeWords(place, steps)}`);

  const startedAt = new Date();
  const seal = (result: RecipeResult, because: string) => {
    const durationMs = Date.now() - startedAt.getTime();
    const facts = { ...factsOf(runner, place, result), runId, workId: runId, startedAt, durationMs, because };
    sealRun(ended(result), facts, policy, setting);
  };
  const words = runnerArgv(own.copyOf(loaded.files[0]?.name ?? ""), options, context, own);
  const argv = place.argv([runner.path, ...words]);
  const order = { recipe: name, runner: runner.path, argv, folder: workingDir, environment: inside };
  const result = await runRunner(order, home, budget.seconds).catch((error: unknown) => {
    if (isUserError(error)) seal({ ...failed, duration: (Date.now() - startedAt.getTime()) / 1000 }, error.message);
    throw error;
  });
  seal(result, result.success ? "all steps ended" : "a step failed");
  return ended(result);
}

const ended = (result: RecipeResult): RecipeEnd => ({ result, end: result.success ? "completed" : "failed" });

/** The recipe and all that its steps run, if the external runner may and can run them. */
function checkedRecipes(started: StartedRun, { isYes, options }: RunRequest, home: string): readonly LoadedRecipe[] {
  refuseInSession();
  checkTrust(started.loaded, home, isYes);
  const recipes = wholeRecipe(started.loaded, stepRecipes(started.folders, home, isYes));
  checkFields(recipes, say);
  if (options.isDryRun) refuseHooks(recipes);
  return recipes;
}

const placeWords = ({ inside, because }: RunnerPlace, steps: readonly string[]) =>
  inside
    ? "in the sandbox"
    : `outside the sandbox, because ${because}; its commands are not judged${steps.length > 0 ? ", its agents are" : ""}`;

/** What the receipt says about a runner whose commands were not judged. */
const factsOf = (
  { path, version, sha256 }: CheckedRunner,
  place: RunnerPlace,
  { step_results: steps }: RecipeResult,
) => ({
  trace: [newEvent({ type: "warning", message: `run by ${path} ${version}, sha256 ${sha256}` }), ...eventsOf(steps)],
  receipts: [],
  engine: { name: RUNNER_NAME, version, sha256 },
  decisions: { allow: 0, ask: 0, deny: 0 },
  containment: place.facts(),
  auditHead: null,
});
