import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Outcome, signalbox } from "./support/run-signalbox.ts";
import { runnerScene, standInRunner } from "./support/stand-in-runner.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

test("doctor names the runner and its version, and what is wrong with one that a variable names", async () => {
  const { cwd, home, runner } = runnerScene("ok");
  const old = standInRunner(join(tempFolder(), "recipe-runner-rs"), "version-old");
  const check = async (env: NodeJS.ProcessEnv) => {
    const { stdout } = await signalbox(["doctor", "--json"], { cwd, env: { HOME: home, ...env } });
    return JSON.parse(stdout).checks.find(({ id }: { id: string }) => id === "recipe-runner");
  };
  const [found, tooOld, absent] = await Promise.all([
    check({ RECIPE_RUNNER_RS_PATH: runner }),
    check({ RECIPE_RUNNER_RS_PATH: old }),
    check({ PATH: "/usr/bin:/bin" }),
  ]);
  expect(found).toMatchObject({
    status: "ok",
    summary: expect.stringContaining(`0.3.10 at ${runner} (from RECIPE_RUNNER_RS_PATH), sha256 `),
    facts: { path: runner, version: "0.3.10" },
  });
  expect(tooOld).toMatchObject({
    status: "fail",
    summary: expect.stringContaining("older than the required minimum 0.3.5"),
  });
  expect(absent).toMatchObject({ status: "absent" });
});

test("install-runner calls cargo, within the time that the variable allows, and never by itself", async () => {
  const cargo = (script: string) => {
    const home = withoutSandbox(tempFolder());
    mkdirSync(join(home, "bin"));
    writeFileSync(join(home, "bin/cargo"), `#!/bin/sh\nprintf '%s\\n' "$*" >"$HOME/asked"\n${script}\n`, {
      mode: 0o755,
    });
    const run = (env: NodeJS.ProcessEnv = {}) =>
      signalbox(["recipe", "install-runner"], {
        cwd: tempRepository(),
        env: { HOME: home, PATH: `${join(home, "bin")}:/usr/bin:/bin`, ...env },
      });
    return { home, run };
  };
  const runner = standInRunner(join(tempFolder(), "recipe-runner-rs"), "ok");
  const working = cargo(`mkdir -p "$HOME/.cargo/bin" && cp '${runner}' "$HOME/.cargo/bin/"`);
  const [installed, failing, hanging, wrong, inside] = await Promise.all([
    working.run(),
    cargo("echo no such crate >&2; exit 101").run(),
    cargo("sleep 600 & wait").run({ RECIPE_RUNNER_INSTALL_TIMEOUT: "1" }),
    cargo("").run({ RECIPE_RUNNER_INSTALL_TIMEOUT: "soon" }),
    cargo("").run({ SIGNALBOX_RUN: "1234" }),
  ]);
  expect([installed.code, installed.stdout, readFileSync(join(working.home, "asked"), "utf8")]).toEqual([
    0,
    `recipe-runner-rs 0.3.10 at ${join(working.home, ".cargo/bin/recipe-runner-rs")}\n`,
    "install --git https://github.com/rysweet/amplihack-recipe-runner --force\n",
  ]);
  const said = ({ code, stderr }: Outcome) => [code, /^signalbox: (.*)\n {2}where:/m.exec(stderr)?.[1]];
  expect([failing, hanging, wrong, inside].map(said)).toEqual([
    [1, "the installation failed (exit 101)"],
    [1, "the installation did not end within 1 s"],
    [4, "RECIPE_RUNNER_INSTALL_TIMEOUT must be a whole number of seconds from 1 to 99999"],
    [1, "an agent's session cannot install programs"],
  ]);
});
