import { readTrust } from "../../guard/policy/trust.ts";
import { isInsideSession, refuseDeepSession } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { RUNNER_VARIABLE } from "../../recipes/bridge/find-runner.ts";
import { recipeNamed } from "../../recipes/recipe/find-recipe.ts";
import { besideFolder, type LoadedRecipe, loadRecipe } from "../../recipes/recipe/load-recipe.ts";
import { untrustedFile } from "../../recipes/recipe/recipe-trust.ts";
import { textFlag } from "../flags.ts";
import { BAD_ARGUMENTS, type Started } from "./start.ts";

interface TrustPlace {
  readonly isYes: boolean;
  /** The user's signalbox folder. */
  readonly home: string;
}

/** What a repository brings runs by name only if the user trusts it, or says so for once. */
export function checkTrust({ files }: LoadedRecipe, { isYes, home }: TrustPlace): void {
  const file = untrustedFile(files, readTrust(home));
  if (file === undefined || isYes) return;
  throw new UserError("this recipe comes with the repository and is not trusted", {
    where: file.file,
    fix: `read it, then trust it: signalbox trust --yes; or run it once, contained: signalbox recipe run ${file.name} --yes`,
    exitCode: EXIT.failed,
  });
}

/** The refusal of an untrusted recipe where it cannot run contained. */
export function notContained(): UserError {
  return new UserError("this recipe is not trusted, and its commands cannot be contained here", {
    where: "--yes",
    fix: "read it, then trust it: signalbox trust --yes; 'signalbox doctor' says why there is no sandbox",
    exitCode: EXIT.failed,
  });
}

/** The recipe of a step: beside the recipe that names it, or in the usual folders. */
export function subRecipe(
  name: string,
  parent: LoadedRecipe,
  { started, ...place }: TrustPlace & { readonly started: Started },
): LoadedRecipe {
  const folders = [...parent.files.map(besideFolder), ...started.folders];
  const loaded = loadRecipe(recipeNamed(name, folders), folders);
  checkTrust(loaded, place);
  return loaded;
}

/** A recipe may start agents and other recipes, so it counts like a session. */
export async function refuseDeepRecipe(): Promise<void> {
  await asFailure(async () => refuseDeepSession(process.env, say));
}

/** A refusal has an exit code that means something else for recipes. */
export async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUserError(error) || error.exitCode !== EXIT.refused) throw error;
    const { message, where, fix } = error;
    throw new UserError(message, {
      ...(where === undefined ? {} : { where }),
      fix,
      exitCode: EXIT.failed,
      cause: error,
    });
  }
}

type Flags = Readonly<Record<string, unknown>>;

const ENGINES = ["native", "rust"] as const;

type Engine = (typeof ENGINES)[number];

/** What runs the recipe: our own runner, or an external one. A run that is continued was ours. */
export function engineOf(flags: Flags, env: NodeJS.ProcessEnv): Engine {
  const name = textFlag(flags, "engine");
  const isSet = (env[RUNNER_VARIABLE] ?? "") !== "" && textFlag(flags, "resume") === undefined;
  const engine = ENGINES.find((each) => each === (name ?? (isSet ? "rust" : "native")));
  if (engine !== undefined) return engine;
  throw new UserError(`unknown engine '${name}'`, {
    where: "--engine",
    fix: `use one of: ${ENGINES.join(", ")}`,
    exitCode: BAD_ARGUMENTS,
  });
}

/** Flags that only our own runner can obey. */
const ONLY_NATIVE = { resume: "--resume", outside: "--outside", approve: "--approve", stepTimeout: "--step-timeout" };

export function refuseForeignFlags(flags: Flags, env: NodeJS.ProcessEnv): void {
  if (engineOf(flags, env) === "native") return;
  const [flag] = Object.entries(ONLY_NATIVE).flatMap(([name, text]) => (flags[name] === undefined ? [] : [text]));
  if (flag === undefined) return;
  throw new UserError(`the external runner does not know ${flag}`, {
    where: textFlag(flags, "engine") === undefined ? `${RUNNER_VARIABLE} is set` : "--engine rust",
    fix: `leave ${flag} out, or add --engine native`,
    exitCode: BAD_ARGUMENTS,
  });
}

/** An agent could choose a runner, and its commands would not be judged. */
export function refuseInSession(): void {
  if (!isInsideSession(process.env)) return;
  throw new UserError("the external runner cannot be started inside an agent's session", {
    where: "--engine rust",
    fix: "use --engine native, or start it from your own terminal",
    exitCode: EXIT.failed,
  });
}

/** The agents of the runner are launched like any other, so they have the rules in effect and no others. */
export function refuseRules(flags: Flags, steps: readonly string[]): void {
  const flag = ["policy", "preset"].find((name) => flags[name] !== undefined);
  if (flag === undefined || steps.length === 0) return;
  throw new UserError(`--${flag} does not reach agents that the external runner starts (${steps.join(", ")})`, {
    where: `--${flag}`,
    fix: "use --engine native, or change the policy in effect",
    exitCode: BAD_ARGUMENTS,
  });
}

/** Our dry run promises that nothing runs. */
export function refuseHooks(recipes: readonly LoadedRecipe[]): void {
  const one = recipes.find(({ recipe }) => Object.values(recipe.hooks).some((hook) => hook !== undefined));
  if (one === undefined) return;
  throw new UserError("the external runner runs hooks even in a dry run", {
    where: one.files[0]?.file ?? one.recipe.name,
    fix: "use --engine native, which runs nothing in a dry run",
    exitCode: BAD_ARGUMENTS,
  });
}
