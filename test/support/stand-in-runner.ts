import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT, signalbox } from "./run-signalbox.ts";
import { tempFolder, tempRepository } from "./temp-folder.ts";
import { withoutSandbox } from "./without-sandbox.ts";

const SOURCE = readFileSync(join(PROJECT, "test/fixtures/recipes/stand-in-runner.sh"), "utf8");

/** Writes a stand-in for recipe-runner-rs that behaves as `mode` says. Returns its path. */
export function standInRunner(path: string, mode: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, SOURCE.replace("@MODE@", mode), { mode: 0o755 });
  return path;
}

export const HELLO = "name: hello\nsteps:\n  - { id: a, command: echo hi }\n";

/** A repository with a recipe, and a runner for it that the environment names. */
export function runnerScene(mode: string, recipe = HELLO, home = withoutSandbox(tempFolder())) {
  const cwd = tempRepository();
  writeFileSync(join(cwd, "hello.yaml"), recipe);
  const runner = standInRunner(join(tempFolder(), "bin/recipe-runner-rs"), mode);
  const run = (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
    signalbox(["recipe", "run", "./hello.yaml", "--json", ...args], {
      cwd,
      env: { HOME: home, RECIPE_RUNNER_RS_PATH: runner, ...env },
    });
  const record = (name: string) => readFileSync(join(cwd, `${name}.record`), "utf8");
  return { cwd, home, runner, run, record };
}

/** What signalbox says about a failure of the runner. */
export const errorIn = (stderr: string) => /^signalbox: (\w+Error: [^]*?)\n {2}where: /m.exec(stderr)?.[1];
