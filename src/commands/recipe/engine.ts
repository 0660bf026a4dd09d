import { UserError } from "../../lib/user-error.ts";
import { RUNNER_VARIABLE } from "../../recipes/bridge/find-runner.ts";
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
