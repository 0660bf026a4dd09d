import { findProgram } from "../../lib/path/find-program.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { RECIPE_NOT_FOUND } from "../recipe/find-recipe.ts";
import { runScript } from "../../sandbox/run/run-script.ts";
import { relayLines } from "./run-runner.ts";
import { BAD_ARGUMENTS } from "./runner-context.ts";
import { INSTALL_RUNNER } from "./find-runner.ts";

const TIMEOUT_VARIABLE = "RECIPE_RUNNER_INSTALL_TIMEOUT";
const DEFAULT_SECONDS = 300;

export interface InstallPlace {
  /** Has the variable with the time limit, and a safe PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Prints lines for the person. */
  readonly print: (text: string) => void;
}

/** Installs the external runner with cargo, within a time limit. */
export async function installRunner({ environment, print }: InstallPlace, signal: AbortSignal): Promise<void> {
  const timeoutSeconds = installSeconds(environment[TIMEOUT_VARIABLE]);
  const cargo = findProgram("cargo", environment["PATH"] ?? "");
  if (cargo === undefined)
    throw new UserError("cargo was not found", {
      where: "PATH, ~/.cargo/bin",
      fix: "install Rust, or download the runner and set RECIPE_RUNNER_RS_PATH to it",
      exitCode: RECIPE_NOT_FOUND,
    });
  const argv = [cargo, ...INSTALL_RUNNER.split(" ").slice(1), "--force"];
  print(`${argv.join(" ")} (at most ${timeoutSeconds} s)`);
  const relay = relayLines(print);
  const order = { argv, folder: "/", environment, session: randomId(), timeoutSeconds };
  const end = await runScript({ ...order, onStderr: (chunk) => relay.add(chunk) }, signal);
  relay.end();
  if (end.timedOut)
    throw failed(`the installation did not end within ${timeoutSeconds} s`, `set ${TIMEOUT_VARIABLE} to more seconds`);
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
  new UserError(message, { where: INSTALL_RUNNER, fix, exitCode: EXIT.failed });
