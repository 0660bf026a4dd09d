import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "../support/run-signalbox.ts";
import { HELLO, standInRunner } from "../support/stand-in-runner.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { realAgent } from "./real-agent.ts";

const RECIPE = `${HELLO}  - { id: write, prompt: write it }\n`;

test.each(["claude", "copilot"] as const)("%s works in an agent step of the external runner, guarded", async (name) => {
  await using agent = await realAgent(name, {
    turns: [{ shell: "touch denied.txt; sudo true" }, { shell: "echo made > made.txt" }, { text: "all is written" }],
  });
  const { cwd, env } = agent;
  writeFileSync(join(cwd, "write.yaml"), RECIPE);
  const home = join(env["HOME"] ?? "", ".signalbox");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "policy.yaml"), `version: 1\nenv: { pass: [${Object.keys(env).join(", ")}] }\n`, {
    mode: 0o600,
  });
  const runner = standInRunner(join(tempFolder(), "recipe-runner-rs"), "agent-step");
  const { code, stderr } = await signalbox(["recipe", "run", "./write.yaml", "--agent", name], {
    cwd,
    env: { ...env, RECIPE_RUNNER_RS_PATH: runner },
  });
  expect([code, agent.model.failedExpectations, readFileSync(join(cwd, "said.record"), "utf8")]).toEqual([
    0,
    [],
    expect.stringContaining("all is written"),
  ]);
  expect([existsSync(join(cwd, "denied.txt")), readFileSync(join(cwd, "made.txt"), "utf8")]).toEqual([false, "made\n"]);
  expect(stderr).toContain("because the recipe starts agents (write)");
  const { stdout } = await signalbox(["audit", "show"], { cwd, env });
  expect(stdout).toContain("touch denied.txt; sudo true");
});
