import { hashFile } from "../../lib/hash-file.ts";
import { messageOf } from "../../lib/message-of.ts";
import { randomId } from "../../lib/random-id.ts";
import { shortLine } from "../../lib/short-line.ts";
import { runScript, type ScriptEnd } from "../shell/run-script.ts";
import type { FoundRunner } from "./find-runner.ts";
import { RUNNER_NAME } from "./find-runner.ts";
import { RustRunnerVersionError } from "./runner-error.ts";

const MIN_RUNNER_VERSION = "0.3.5";

const TIMEOUT_SECONDS = 10;

/** A runner that may be used. */
export interface CheckedRunner extends FoundRunner {
  readonly version: string;
  readonly sha256: string;
}

interface VersionPlace {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number;
}

/** Asks the runner for its version, and refuses one that does not say it or is too old. */
export async function checkRunner(runner: FoundRunner, place: VersionPlace): Promise<CheckedRunner> {
  const { path, real } = runner;
  const text = await versionText(path, place);
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
  { environment, timeoutSeconds = TIMEOUT_SECONDS }: VersionPlace,
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
