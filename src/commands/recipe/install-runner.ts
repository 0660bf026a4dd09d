import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { cleanEnvironment } from "../../lib/clean-environment.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { isInsideSession } from "../../lib/inside-session.ts";
import { safePath } from "../../lib/safe-path.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { checkRunner } from "../../recipes/bridge/check-runner.ts";
import { findRunner, RUNNER_NAME } from "../../recipes/bridge/find-runner.ts";
import { installRunner } from "../../recipes/bridge/install-runner.ts";
import { openInterruption } from "./interruption.ts";

/** Installs the external runner, and prints which one will be used from now on. */
export async function install(): Promise<number> {
  const { env } = process;
  if (isInsideSession(env))
    throw new UserError("an agent's session cannot install programs", {
      where: "signalbox recipe install-runner",
      fix: "run it in your own terminal",
      exitCode: EXIT.failed,
    });
  const cwd = currentFolder();
  const path = [safePath(env, findWorkspace(cwd)), join(env["HOME"] ?? homedir(), ".cargo/bin")].join(delimiter);
  const environment = { ...cleanEnvironment(env), PATH: path };
  using interruption = openInterruption(undefined);
  await installRunner({ environment, print: (text) => void process.stderr.write(`${text}\n`) }, interruption.signal);
  const { version, path: installed } = await checkRunner(findRunner(env, cwd), { environment });
  process.stdout.write(`${RUNNER_NAME} ${version} at ${installed}\n`);
  return EXIT.ok;
}
