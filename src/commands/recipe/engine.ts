import { isInsideSession } from "../../lib/inside-session.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { RUNNER_VARIABLE } from "../../recipes/bridge/find-runner.ts";
import type { LoadedRecipe } from "../../recipes/places/load-recipe.ts";
import { textFlag } from "../flags.ts";
import { BAD_ARGUMENTS } from "./context-flags.ts";

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
