import { fileURLToPath } from "node:url";
import { messageOf } from "../../lib/message-of.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";
import type { Context, ContextValue } from "../../recipes/recipe/recipe.ts";
import { storedValue } from "../../recipes/run/output-value.ts";
import { textFlag, textsFlag } from "../flags.ts";

export const BAD_ARGUMENTS = 4;

const MAX_BYTES = 10_000_000;

type Flags = Readonly<Record<string, unknown>>;

/** Context values from the environment, from the task on the command line, and from `-c`, which wins. */
export function passedContext(flags: Flags, env: NodeJS.ProcessEnv, task: string | undefined): Context {
  return {
    ...environmentContext(env),
    ...(task === undefined ? {} : { task_description: task }),
    ...Object.fromEntries(textsFlag(flags, "context").map(readPair)),
  };
}

const PREFIX = "AMPLIHACK_CONTEXT_";
/** These have another meaning. */
const NOT_VALUES = ["AMPLIHACK_CONTEXT_FILE", "AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES"];

function environmentContext(env: NodeJS.ProcessEnv): Context {
  const { AMPLIHACK_TASK_DESCRIPTION: task, AMPLIHACK_REPO_PATH: repository } = env;
  const named = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && !NOT_VALUES.includes(name) && value !== undefined
      ? [[name.slice(PREFIX.length).toLowerCase(), readValue(value)] as const]
      : [],
  );
  return {
    ...(task === undefined ? {} : { task_description: task }),
    ...(repository === undefined ? {} : { repo_path: repository }),
    ...Object.fromEntries(named),
  };
}

function readPair(pair: string): readonly [string, ContextValue] {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at));
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && name !== "__proto__") return [name, readValue(pair.slice(at + 1))];
  throw new UserError("expected KEY=VALUE", {
    where: `-c ${pair.slice(0, 60)}`,
    fix: "for example -c task_description='add a flag'",
    exitCode: BAD_ARGUMENTS,
  });
}

/** JSON other than a string becomes typed. `file://` is how other launchers pass large values. */
function readValue(text: string): ContextValue {
  if (text === "True" || text === "False") return text === "True";
  if (text.startsWith("file://")) return storedValue(readFileValue(text));
  const value = storedValue(text);
  return typeof value === "string" ? text : value;
}

function readFileValue(address: string): string {
  try {
    return readBounded(fileURLToPath(address), MAX_BYTES).bytes.toString("utf8");
  } catch (cause) {
    throw new UserError(`the context value cannot be read: ${messageOf(cause)}`, {
      where: address.slice(0, 200),
      fix: `pass a file of at most ${MAX_BYTES} bytes that exists`,
      exitCode: BAD_ARGUMENTS,
      cause,
    });
  }
}

/** A flag with words that are separated by commas. */
export const wordsFlag = (flags: Flags, name: string): readonly string[] =>
  (textFlag(flags, name) ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** A flag with a positive number of seconds. */
export function secondsFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  if (/^\d{1,7}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UserError("--step-timeout needs a number of seconds above 0", {
    where: `--step-timeout ${text}`,
    fix: "for example --step-timeout 600",
    exitCode: BAD_ARGUMENTS,
  });
}
