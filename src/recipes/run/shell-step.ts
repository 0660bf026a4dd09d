import { resolve } from "node:path";
import { isFolder } from "../../lib/path/find-program.ts";
import { isBundled } from "../recipe/may-run.ts";
import type { Context, Step } from "../recipe/recipe.ts";
import { isReserved } from "../language/shell-template.ts";
import { fillText } from "../language/text-template.ts";
import type { Scope, ShellOutcome } from "./run-parts.ts";

const HOOK_SECONDS = 30;

/** Runs a command of a step with its folder, variables and time limit. */
export async function stepShell(command: string, step: Step, context: Context, scope: Scope): Promise<ShellOutcome> {
  const { parts } = scope.run;
  const folder = stepFolder(step, context, scope);
  if (!isFolder(folder)) return { type: "refused", because: `the folder ${folder} does not exist` };
  const env = stepEnvironment(step, context, scope);
  const [reserved] = Object.keys(env).filter(isReserved);
  if (reserved !== undefined) return { type: "refused", because: `a recipe may not set the variable ${reserved}` };
  const request = {
    command,
    context,
    env,
    folder,
    timeoutSeconds: stepSeconds(step, scope),
    step: `${scope.prefix}${step.id}`,
    place: step.contained ? "inside" : parts.mayLeave(scope.loaded) ? "may-leave" : "must-leave",
    isOurs: step.contained && isBundled(scope.loaded.files) && !RUNS_VALUES.test(command),
  } as const;
  return await parts.runShell(request, parts.signal);
}

/** A command that it runs comes from a value, and not from us. */
const RUNS_VALUES = /\b(?:eval|(?:ba|da|z|k)?sh\s+-\w*c)\b/;

/** Seconds that a step may take. */
export function stepSeconds(step: Step, { loaded, run }: Scope): number | undefined {
  return run.parts.options.stepTimeout ?? step.timeout ?? loaded.recipe.stepTimeout;
}

export function stepFolder(step: Step, context: Context, { run }: Scope): string {
  const { workingDir } = run.parts.options;
  return resolve(workingDir, step.workingDir === undefined ? "." : fillText(step.workingDir, context));
}

function stepEnvironment(step: Step, context: Context, { loaded }: Scope): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...loaded.recipe.env, ...step.env });
  return Object.fromEntries(entries.map(([name, text]) => [name, fillText(text, context)]));
}

/** How a command that did not succeed ended, in words. */
export function describeShell(outcome: ShellOutcome, seconds: number | undefined): string {
  if (outcome.type !== "ended") return outcome.because;
  const { code, signal, stderr, timedOut, notes } = outcome;
  const how = timedOut ? `timed out after ${seconds} s` : signal === null ? `exit code ${code}` : `ended by ${signal}`;
  const last = stderr.trimEnd().split("\n").slice(-5).join("\n");
  return [last === "" ? how : `${how}: ${last}`, ...notes.map((note) => `note: ${note}`)].join("\n");
}

/** Runs the hooks of the recipe for a step. The failure of one is only a warning. */
export const stepHooks =
  ({ id }: Step, context: Context, { run, prefix }: Scope) =>
  async (hook: string | undefined, status: string): Promise<void> => {
    const { parts } = run;
    if (hook === undefined || hook.trim() === "" || parts.signal.aborted) return;
    const request = {
      command: hook,
      context,
      env: { RECIPE_STEP_ID: id, RECIPE_STEP_STATUS: status },
      folder: parts.options.workingDir,
      timeoutSeconds: HOOK_SECONDS,
      step: `${prefix}${id}`,
      place: "inside",
    } as const;
    const outcome = await parts.runShell(request, parts.signal);
    if (outcome.type === "ended" && outcome.code === 0) return;
    parts.report({ type: "warning", message: `a hook of ${id} failed: ${describeShell(outcome, HOOK_SECONDS)}` });
  };
