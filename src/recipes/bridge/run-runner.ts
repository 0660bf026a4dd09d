import { messageOf } from "../../lib/message-of.ts";
import { shortLine } from "../../lib/short-line.ts";
import type { RecipeResult } from "../run/step-result.ts";
import { runScript, type ScriptEnd } from "../shell/run-script.ts";
import { readResponse } from "./read-response.ts";
import { relayLines } from "./relay-lines.ts";
import { type ArgvParts, runnerArgv } from "./runner-argv.ts";
import { RustRunnerRuntimeError } from "./runner-error.ts";

const MAX_RESULT = 64 * 1024 * 1024;

/** The ancestor's words, because scripts look for them. */
export const banner = (what: "starting" | "executing", recipe: string): string =>
  `[amplihack] recipe-runner --- ${what}: ${shortLine(recipe, 200)}`;

export interface RunnerOrder {
  readonly argv: ArgvParts;
  /** How a command line is started where the runner is placed. */
  readonly placed: (argv: readonly string[]) => readonly string[];
  readonly recipe: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Marks all processes of the run. */
  readonly session: string;
  /** Prints lines for the person. */
  readonly print: (text: string) => void;
}

/** Runs the external runner to its end and reads its result. An abort ends its whole process tree. */
export async function runRunner(order: RunnerOrder, signal: AbortSignal): Promise<RecipeResult> {
  const { recipe, print, placed } = order;
  const { runner, warn } = order.argv;
  const argv = placed(runnerArgv(order.argv));
  print(banner("executing", recipe));
  const fail = (message: string, fix: string) => new RustRunnerRuntimeError(message, { where: runner, fix });
  const full = new AbortController();
  const relay = relayLines(print);
  let end: ScriptEnd;
  try {
    end = await runScript(
      {
        ...order,
        argv,
        timeoutSeconds: undefined,
        maxStdout: MAX_RESULT,
        onFull: () => full.abort(),
        onStderr: (chunk) => relay.add(chunk),
      },
      AbortSignal.any([signal, full.signal]),
    );
  } catch (error) {
    throw fail(
      `Rust recipe runner could not be started: ${messageOf(error)}`,
      "check the program, and the size of the context",
    );
  }
  relay.end();
  if (signal.aborted)
    throw fail(
      `Rust recipe runner was ended (${messageOf(signal.reason)}), with everything that it started`,
      "start the recipe again",
    );
  if (full.signal.aborted)
    throw fail(
      `Rust recipe runner returned unparseable output: more than ${MAX_RESULT} bytes, so it was ended`,
      "check the program, or use --engine native",
    );
  return readResponse(end, { recipe, runner, warn });
}
