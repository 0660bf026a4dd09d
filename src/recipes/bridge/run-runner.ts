import { constants } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { printable, shortLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { RecipeResult, StepResult, StepStatus } from "../run/step-result.ts";
import { runScript, type ScriptEnd } from "../../sandbox/run/run-script.ts";
import { RustRunnerRuntimeError } from "./find-runner.ts";
import { type ArgvParts, runnerArgv } from "./runner-context.ts";

const MAX_RESULT = 64 * 1024 * 1024;

/** The ancestor's words, because scripts look for them. */
export const banner = (what: "starting" | "executing", recipe: string): string =>
  `[amplihack] recipe-runner --- ${what}: ${shortLine(recipe, 200)}`;

interface RunnerOrder {
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

const MAX_LINE = 4096;

const MAX_ALL = 1024 * 1024;

/** Passes on what a program prints, in whole lines and safe for a terminal, up to a limit. */
export function relayLines(write: (lines: string) => void) {
  const decoder = new TextDecoder();
  let pending = "";
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      if (size > MAX_ALL) return;
      size += chunk.length;
      const lines = (pending + decoder.decode(chunk, { stream: true })).split("\n");
      pending = (lines.pop() ?? "").slice(0, MAX_LINE);
      if (lines.length > 0) write(lines.map(clean).join("\n"));
      if (size <= MAX_ALL) return;
      write("… (the external runner says more, which is not shown)");
      pending = "";
    },
    end(): void {
      if (pending !== "") write(clean(pending));
      pending = "";
    },
  };
}

const clean = (line: string) => printable(stripVTControlCharacters(line.slice(0, MAX_LINE)).replaceAll("\r", ""));

interface ResponsePlace {
  readonly recipe: string;
  readonly runner: string;
  readonly warn: (text: string) => void;
}

const NATIVE = "see the messages above, or use --engine native";

const MAX_SHOWN = 500;

/**
 * The result that the external runner printed. Throws when it was killed, failed without a result, or printed
 * something else. With a result, an exit code other than 0 makes it a failed one.
 */
export function readResponse(end: ScriptEnd, place: ResponsePlace): RecipeResult {
  const { code, signal, stdout, stderr } = end;
  const fail = (message: string) => new RustRunnerRuntimeError(message, { where: place.runner, fix: NATIVE });
  if (signal !== null)
    throw fail(
      `Rust recipe runner killed by signal ${signal} (${constants.signals[signal]}). It was ended before it gave a result`,
    );
  let value: unknown;
  try {
    value = parseJson(stdout);
  } catch {
    // Its own exit codes are about the copies and flags that it got from us, so they never become ours.
    if (code !== 0) throw fail(`Rust recipe runner failed (exit ${code}): ${lastLines(stderr)}`);
    throw fail(
      `Rust recipe runner returned unparseable output (exit 0): ${stdout.trim().slice(0, MAX_SHOWN) || "empty stdout"}`,
    );
  }
  const result = resultIn(value, place, (problem) =>
    fail(`Rust recipe runner returned an invalid response for '${place.recipe}': ${problem}`),
  );
  tell(result, end, place);
  return { ...result, success: result.success && code === 0 };
}

/** Progress, which says nothing about a failure. */
const PROGRESS = /^\s*(?:[▶✓⊘✗⚠]|\[agent\]|\{"type":"step_transition")/u;

const LAST = 5;

function lastLines(stderr: string): string {
  const lines = stripVTControlCharacters(stderr)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const said = lines.filter((line) => !PROGRESS.test(line));
  return (said.length > 0 ? said : lines).slice(-LAST).join("\n") || "no stderr";
}

type Invalid = (problem: string) => Error;

function resultIn(value: unknown, { recipe }: ResponsePlace, invalid: Invalid): RecipeResult {
  if (!isRecord(value)) throw invalid("top-level JSON must be an object");
  const { recipe_name: name, success, step_results: steps = [], context, duration } = value;
  if (typeof success !== "boolean") throw invalid("'success' must be a boolean");
  if (!Array.isArray(steps)) throw invalid("'step_results' must be a list");
  if (context !== undefined && context !== null && !isRecord(context)) throw invalid("'context' must be an object");
  return {
    recipe_name: typeof name === "string" ? name : recipe,
    success,
    step_results: steps.map((step: unknown, index) => stepIn(step, index, invalid)),
    context: context ?? {},
    duration: secondsIn(duration),
  };
}

const STATUSES: readonly StepStatus[] = ["completed", "skipped", "failed", "degraded"];

/** A status that we do not know counts as a failure. */
function stepIn(step: unknown, index: number, invalid: Invalid): StepResult {
  if (!isRecord(step)) throw invalid(`'step_results[${index}]' must be an object`);
  const { step_id: id, status, output, error, duration } = step;
  if (typeof id !== "string") throw invalid(`'step_results[${index}].step_id' must be a text`);
  const known = STATUSES.find((each) => each === status);
  return {
    step_id: id,
    status: known ?? "failed",
    output: textIn(output),
    error: known === undefined ? `unknown status '${textIn(status)}' ${textIn(error)}`.trim() : textIn(error),
    duration: secondsIn(duration),
  };
}

const textIn = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

const secondsIn = (value: unknown): number => (typeof value === "number" && value >= 0 ? value : 0);

function tell({ step_results: steps, success }: RecipeResult, { code }: ScriptEnd, { warn }: ResponsePlace): void {
  const degraded = steps.filter(({ status }) => status === "degraded").map(({ step_id: id }) => id);
  if (degraded.length > 0)
    warn(`warning: degraded: ${degraded.join(", ")} (done, but the output is not the JSON that was asked for)`);
  if (success && code !== 0)
    warn(`warning: the external runner reported success, but exited with ${code}, so the run counts as failed`);
}
