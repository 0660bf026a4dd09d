import { delimiter, isAbsolute, join } from "node:path";
import { isInWorkspace, loosePath, workspaceFolders } from "../../agents/search-path.ts";
import { hashFile } from "../../lib/files/hash-file.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { isExecutable, isFile } from "../../lib/path/find-program.ts";
import { linkHops } from "../../lib/path/real-path.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { RECIPE_EXIT } from "../recipe/recipe.ts";
import { runScript, type ScriptEnd } from "../../sandbox/run/run-script.ts";

/** Names the external runner, and chooses it when no engine is named. */
export const RUNNER_VARIABLE = "RECIPE_RUNNER_RS_PATH";

export const RUNNER_NAME = "recipe-runner-rs";

const KNOWN_FOLDERS = [".cargo/bin", ".local/bin"];

interface FoundRunner {
  readonly path: string;
  /** With all links resolved. */
  readonly real: string;
  readonly from: typeof RUNNER_VARIABLE | "PATH" | "known place";
  /** Programs that were skipped, for the user. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the external runner: the variable, then PATH, then the known places. A variable that names no usable program is
 * an error, not a reason to try the next place. A program inside the workspace may come with the repository, so only
 * the variable can name one.
 */
export function findRunner(env: Environment, cwd: string): FoundRunner {
  const setting = env[RUNNER_VARIABLE];
  if (setting !== undefined && setting !== "") return checkedRunner(usableSetting(setting), RUNNER_VARIABLE, []);
  const avoid = workspaceFolders([cwd], env);
  const home = env["HOME"] ?? "";
  const candidates = [
    ...(env["PATH"] ?? "").split(delimiter).map((folder) => ({ folder, from: "PATH" as const })),
    ...KNOWN_FOLDERS.map((folder) => ({ folder: join(home, folder), from: "known place" as const })),
  ]
    .filter(({ folder }) => isAbsolute(folder))
    .map(({ folder, from }) => ({ path: join(folder, RUNNER_NAME), from }))
    .filter(({ path }) => isFile(path) && isExecutable(path));
  const planted: string[] = [];
  for (const { path, from } of candidates) {
    if (!isInWorkspace(path, avoid)) return checkedRunner(path, from, planted);
    planted.push(path);
  }
  throw new RustRunnerNotFoundError(`${RUNNER_NAME} was not found`, {
    where: [
      `${RUNNER_VARIABLE} (not set)`,
      "PATH",
      ...KNOWN_FOLDERS.map((folder) => `~/${folder}`),
      ...skipped(planted),
    ].join(", "),
    fix: `install it: ${INSTALL_RUNNER}; or set ${RUNNER_VARIABLE} to its path; or use --engine native`,
  });
}

const skipped = (planted: readonly string[]) =>
  planted.map((path) => `skipped ${path}: it is inside the workspace and could come with the repository`);

function usableSetting(path: string): string {
  const problem = !isAbsolute(path)
    ? "it is not an absolute path"
    : !isFile(path)
      ? "there is no such program"
      : !isExecutable(path)
        ? "the program is not executable"
        : undefined;
  if (problem === undefined) return path;
  throw new RustRunnerNotFoundError(`${RUNNER_VARIABLE} is set, but cannot be used: ${problem}`, {
    where: path.slice(0, 1000),
    fix: `set it to the full path of ${RUNNER_NAME}, or unset it`,
  });
}

function checkedRunner(path: string, from: FoundRunner["from"], planted: readonly string[]): FoundRunner {
  const hops = linkHops(path);
  const loose = loosePath(hops);
  if (loose === undefined) return { path, real: hops.at(-1) ?? path, from, warnings: skipped(planted) };
  throw new RustRunnerPermissionError(`will not start ${path}: anyone on this machine can change ${loose}`, {
    where: path,
    fix: `chmod o-w ${loose}, after checking its contents`,
  });
}

const MIN_RUNNER_VERSION = "0.3.5";

const TIMEOUT_SECONDS = 10;

/** A runner that may be used. */
export interface CheckedRunner extends FoundRunner {
  readonly version: string;
  readonly sha256: string;
}

/** Asks the runner for its version, and refuses one that does not say it or is too old. */
export async function checkRunner(
  runner: FoundRunner,
  environment: Readonly<Record<string, string>>,
  timeoutSeconds = TIMEOUT_SECONDS,
): Promise<CheckedRunner> {
  const { path, real } = runner;
  const text = await versionText(path, environment, timeoutSeconds);
  const version = /\d{1,9}\.\d{1,9}(?:\.\d{1,9})*/.exec(text)?.[0];
  if (version === undefined)
    throw new RustRunnerVersionError(
      `${RUNNER_NAME} reported an unparseable version '${shortLine(text, 80)}'. Refusing to run without a verifiable version`,
      path,
    );
  if (isOlder(version, MIN_RUNNER_VERSION))
    throw new RustRunnerVersionError(
      `${RUNNER_NAME} version ${version} is older than the required minimum ${MIN_RUNNER_VERSION}`,
      path,
    );
  return { ...runner, version, sha256: hashFile(real) };
}

async function versionText(
  path: string,
  environment: Readonly<Record<string, string>>,
  timeoutSeconds: number,
): Promise<string> {
  const unknown = (why: string) =>
    new RustRunnerVersionError(
      `Could not determine the installed ${RUNNER_NAME} version: ${why}. Refusing to run without a verifiable version`,
      path,
    );
  let end: ScriptEnd;
  try {
    const order = { argv: [path, "--version"], folder: "/", environment, session: randomId(), timeoutSeconds };
    end = await runScript({ ...order, maxStdout: 4096 }, new AbortController().signal);
  } catch (error) {
    throw unknown(`it could not be started (${messageOf(error)})`);
  }
  if (end.timedOut) throw unknown(`'--version' did not end within ${timeoutSeconds} s`);
  if (end.signal !== null) throw unknown(`'--version' was killed by ${end.signal}`);
  if (end.code !== 0) throw unknown(`'--version' exited with ${end.code}`);
  const text = end.stdout.trim();
  if (text === "") throw unknown("'--version' printed nothing");
  return text;
}

function isOlder(version: string, minimum: string): boolean {
  const [have, need] = [version, minimum].map((text) => text.split(".").map(Number));
  for (const [index, part] of (need ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}

/** How the external runner is installed by hand. */
export const INSTALL_RUNNER = "cargo install --git https://github.com/rysweet/amplihack-recipe-runner";

interface RunnerAdvice {
  readonly where: string;
  readonly fix: string;
  readonly exitCode?: number;
  readonly cause?: unknown;
}

/** Scripts of the ancestor look for the names of its error classes, so they are part of the message. */
const named = (name: string, message: string) => `${name}: ${message}`;

/** The external runner is not installed, or the place that was named has no usable program. */
export class RustRunnerNotFoundError extends UserError {
  constructor(message: string, advice: RunnerAdvice) {
    super(named("RustRunnerNotFoundError", message), { exitCode: RECIPE_EXIT.notFound, ...advice });
  }
}

/** Somebody else could replace the runner. */
export class RustRunnerPermissionError extends UserError {
  constructor(message: string, advice: RunnerAdvice) {
    super(named("RustRunnerPermissionError", message), { exitCode: EXIT.failed, ...advice });
  }
}

/** The version of the runner is unknown, unparseable or too old. */
export class RustRunnerVersionError extends UserError {
  constructor(message: string, where: string) {
    super(named("RustRunnerVersionError", message), {
      where,
      fix: `update it: ${INSTALL_RUNNER} --force; or use --engine native`,
      exitCode: EXIT.failed,
    });
  }
}

/** The runner was started and did not give a result. */
export class RustRunnerRuntimeError extends UserError {
  constructor(message: string, advice: RunnerAdvice) {
    super(named("RustRunnerRuntimeError", message), { exitCode: EXIT.failed, ...advice });
  }
}
