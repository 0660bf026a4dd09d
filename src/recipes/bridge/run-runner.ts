import { constants } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { openInterruption } from "../shell/calling-session.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { findProgram } from "../../lib/path/find-program.ts";
import { markWork } from "../../lib/process/left-work.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { printable, shortLine } from "../../lib/text/printable.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { textOf } from "../language/text-template.ts";
import { RECIPE_EXIT } from "../recipe/recipe.ts";
import type { RecipeResult, StepResult, StepStatus } from "../run/step-result.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import { endSession } from "../../sandbox/run/process-tree.ts";
import { runScript, type ScriptEnd } from "../../sandbox/run/run-script.ts";
import { INSTALL_RUNNER, RustRunnerRuntimeError } from "./find-runner.ts";

const MAX_RESULT = 64 * 1024 * 1024;

/** The ancestor's words, because scripts look for them. */
export const banner = (what: "starting" | "executing", recipe: string): string =>
  `[amplihack] recipe-runner --- ${what}: ${shortLine(recipe, 200)}`;

interface RunnerOrder {
  /** The name of the recipe, and the path of the runner, for messages. */
  readonly recipe: string;
  readonly runner: string;
  /** The command line that starts the runner where it runs. */
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs the external runner for at most so many seconds, ends what it left behind, and reads its result. */
export async function runRunner(order: RunnerOrder, home: string, seconds: number | undefined): Promise<RecipeResult> {
  const session = randomId();
  using _mark = markWork(commandMarks(home), session);
  using interruption = openInterruption(seconds);
  try {
    return await runInSession(order, session, interruption.signal);
  } finally {
    await endSession(session);
  }
}

/** An abort ends its whole process tree. */
async function runInSession(order: RunnerOrder, session: string, signal: AbortSignal): Promise<RecipeResult> {
  const { recipe, runner, argv, folder, environment } = order;
  print(banner("executing", recipe));
  const fail = (message: string, fix: string) => new RustRunnerRuntimeError(message, { where: runner, fix });
  const full = new AbortController();
  const relay = relayLines();
  let end: ScriptEnd;
  try {
    end = await runScript(
      {
        argv,
        folder,
        environment,
        session,
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
  return readResponse(end, recipe, runner);
}

/** Prints lines for the person, as they are. */
export const print = (text: string) => void process.stderr.write(`${text}\n`);

const MAX_LINE = 4096;

const MAX_ALL = 1024 * 1024;

/** Passes on what a program prints, in whole lines and safe for a terminal, up to a limit. */
function relayLines() {
  const decoder = new TextDecoder();
  let pending = "";
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      if (size > MAX_ALL) return;
      size += chunk.length;
      const lines = (pending + decoder.decode(chunk, { stream: true })).split("\n");
      pending = (lines.pop() ?? "").slice(0, MAX_LINE);
      if (lines.length > 0) print(lines.map(clean).join("\n"));
      if (size <= MAX_ALL) return;
      print("… (the external runner says more, which is not shown)");
      pending = "";
    },
    end(): void {
      if (pending !== "") print(clean(pending));
      pending = "";
    },
  };
}

const clean = (line: string) => printable(stripVTControlCharacters(line.slice(0, MAX_LINE)).replaceAll("\r", ""));

const NATIVE = "see the messages above, or use --engine native";

const MAX_SHOWN = 500;

/**
 * The result that the external runner printed. Throws when it was killed, failed without a result, or printed
 * something else. With a result, an exit code other than 0 makes it a failed one.
 */
export function readResponse(end: ScriptEnd, recipe: string, runner: string): RecipeResult {
  const { code, signal, stdout, stderr } = end;
  const fail = (message: string) => new RustRunnerRuntimeError(message, { where: runner, fix: NATIVE });
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
  const result = resultIn(value, recipe, (problem) =>
    fail(`Rust recipe runner returned an invalid response for '${recipe}': ${problem}`),
  );
  tell(result, end);
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

function resultIn(value: unknown, recipe: string, invalid: Invalid): RecipeResult {
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
    output: textOf(output),
    error: known === undefined ? `unknown status '${textOf(status)}' ${textOf(error)}`.trim() : textOf(error),
    duration: secondsIn(duration),
  };
}

const secondsIn = (value: unknown): number => (typeof value === "number" && value >= 0 ? value : 0);

function tell({ step_results: steps, success }: RecipeResult, { code }: ScriptEnd): void {
  const degraded = steps.filter(({ status }) => status === "degraded").map(({ step_id: id }) => id);
  if (degraded.length > 0)
    say(`warning: degraded: ${degraded.join(", ")} (done, but the output is not the JSON that was asked for)`);
  if (success && code !== 0)
    say(`warning: the external runner reported success, but exited with ${code}, so the run counts as failed`);
}

const TIMEOUT_VARIABLE = "RECIPE_RUNNER_INSTALL_TIMEOUT";
const DEFAULT_SECONDS = 300;

/** Installs the external runner with cargo, within the time that the environment allows. It has a safe PATH. */
export async function installRunner(environment: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
  const timeoutSeconds = installSeconds(environment[TIMEOUT_VARIABLE]);
  const cargo = findProgram("cargo", environment["PATH"] ?? "");
  if (cargo === undefined)
    throw new UserError("cargo was not found", {
      where: "PATH, ~/.cargo/bin",
      fix: "install Rust, or download the runner and set RECIPE_RUNNER_RS_PATH to it",
      exitCode: RECIPE_EXIT.notFound,
    });
  const argv = [cargo, ...INSTALL_RUNNER.split(" ").slice(1), "--force"];
  print(`${argv.join(" ")} (at most ${timeoutSeconds} s)`);
  const relay = relayLines();
  const order = { argv, folder: "/", environment, session: randomId(), timeoutSeconds };
  const end = await runScript({ ...order, onStderr: (chunk) => relay.add(chunk) }, signal);
  relay.end();
  if (end.timedOut)
    throw installFailed(
      `the installation did not end within ${timeoutSeconds} s`,
      `set ${TIMEOUT_VARIABLE} to more seconds`,
    );
  if (end.code !== 0)
    throw installFailed(
      `the installation failed (${end.signal ?? `exit ${end.code}`})`,
      "see the messages of cargo above",
    );
}

function installSeconds(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SECONDS;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UserError(`${TIMEOUT_VARIABLE} must be a whole number of seconds from 1 to 99999`, {
    where: TIMEOUT_VARIABLE,
    fix: `correct it, or unset it for ${DEFAULT_SECONDS}`,
    exitCode: RECIPE_EXIT.badArguments,
  });
}

const installFailed = (message: string, fix: string) =>
  new UserError(message, { where: INSTALL_RUNNER, fix, exitCode: EXIT.failed });
