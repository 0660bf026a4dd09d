import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { cleanEnvironment } from "../../lib/clean-environment.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { findProgram } from "../../lib/find-program.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { isInsideSession } from "../../lib/inside-session.ts";
import { randomId } from "../../lib/random-id.ts";
import { safePath } from "../../lib/safe-path.ts";
import { say } from "../../lib/say.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { checkRunner } from "../../recipes/bridge/check-runner.ts";
import { findRunner, RUNNER_NAME } from "../../recipes/bridge/find-runner.ts";
import { relayLines } from "../../recipes/bridge/relay-lines.ts";
import { INSTALL_RUNNER } from "../../recipes/bridge/runner-error.ts";
import { RECIPE_NOT_FOUND } from "../../recipes/places/find-recipe.ts";
import { runScript } from "../../recipes/shell/run-script.ts";
import { BAD_ARGUMENTS } from "./context-flags.ts";
import { openInterruption } from "./interruption.ts";

const TIMEOUT_VARIABLE = "RECIPE_RUNNER_INSTALL_TIMEOUT";
const DEFAULT_SECONDS = 300;

/** Installs the external runner with cargo. Nothing else ever does. */
export async function installRunner(): Promise<number> {
  const { env } = process;
  if (isInsideSession(env)) throw failed("an agent's session cannot install programs", "run it in your own terminal");
  const seconds = installSeconds(env[TIMEOUT_VARIABLE]);
  const cwd = currentFolder();
  const path = [safePath(env, findWorkspace(cwd)), join(env["HOME"] ?? homedir(), ".cargo/bin")].join(delimiter);
  const [, ...words] = INSTALL_RUNNER.split(" ");
  const cargo = findProgram("cargo", path);
  if (cargo === undefined)
    throw new UserError("cargo was not found", {
      where: "PATH, ~/.cargo/bin",
      fix: "install Rust, or download the runner and set RECIPE_RUNNER_RS_PATH to it",
      exitCode: RECIPE_NOT_FOUND,
    });
  const environment = { ...cleanEnvironment(env), PATH: path };
  say(`${cargo} ${words.join(" ")} --force (at most ${seconds} s)`);
  await install([cargo, ...words, "--force"], { environment, seconds });
  const { version, path: installed } = await checkRunner(findRunner(env, cwd), { environment });
  process.stdout.write(`${RUNNER_NAME} ${version} at ${installed}\n`);
  return EXIT.ok;
}

interface InstallPlace {
  readonly environment: Readonly<Record<string, string>>;
  readonly seconds: number;
}

async function install(argv: readonly string[], { environment, seconds }: InstallPlace): Promise<void> {
  using interruption = openInterruption(undefined);
  const relay = relayLines((text) => void process.stderr.write(`${text}\n`));
  const order = { argv, folder: "/", environment, session: randomId(), timeoutSeconds: seconds };
  const end = await runScript({ ...order, onStderr: (chunk) => relay.add(chunk) }, interruption.signal);
  relay.end();
  if (end.timedOut)
    throw failed(`the installation did not end within ${seconds} s`, `set ${TIMEOUT_VARIABLE} to more seconds`);
  if (end.code !== 0)
    throw failed(`the installation failed (${end.signal ?? `exit ${end.code}`})`, "see the messages of cargo above");
}

function installSeconds(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SECONDS;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UserError(`${TIMEOUT_VARIABLE} must be a whole number of seconds from 1 to 99999`, {
    where: TIMEOUT_VARIABLE,
    fix: `correct it, or unset it for ${DEFAULT_SECONDS}`,
    exitCode: BAD_ARGUMENTS,
  });
}

const failed = (message: string, fix: string) =>
  new UserError(message, { where: "signalbox recipe install-runner", fix, exitCode: EXIT.failed });
