import { chmodSync, copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const SHIMS = join(PROJECT, "shims");

test("--print prints the arguments and says on stderr that it widened", async () => {
  const outcome = await signalbox(["nested-copilot", "--print", "--", "-p", "hi", "--append-system-prompt=be brief"]);
  expect(outcome).toEqual({
    code: 0,
    stdout: `${JSON.stringify(["--allow-all-tools", "--allow-all-paths", "-p", "be brief\n\nhi"])}\n`,
    stderr: "signalbox: no tool or path permissions were given: --allow-all-tools --allow-all-paths is added\n",
  });
});

test("a start keeps the caller's decision and delivers the merged prompt", async () => {
  const { env, recorded } = standInAgent("copilot");
  const args = ["nested-copilot", "--", "--deny-tool", "shell", "-p", "task", "--system-prompt", "S"];
  expect((await signalbox(args, { cwd: tempRepository(), env })).code).toBe(0);
  expect(recorded()?.argv).toEqual(["--deny-tool", "shell", "-p", "S\n\ntask"]);
});

test("a start without a decision is widened under the guard, and says so", async () => {
  const { env, recorded } = standInAgent("copilot");
  const outcome = await signalbox(["nested-copilot", "--", "-p", "task"], { cwd: tempRepository(), env });
  expect(recorded()?.argv).toEqual(["--allow-all-tools", "--allow-all-paths", "-p", "task"]);
  expect(recorded()?.guardFlags.filter((word) => word.endsWith("/copilot-plugin"))).toHaveLength(1);
  expect(outcome.stderr).toContain("--allow-all-tools --allow-all-paths is added, and the guard judges every call");
});

test("a start that cannot be guarded does not happen", async () => {
  const { env, recorded, home } = standInAgent("copilot");
  const outcome = await signalbox(["nested-copilot", "--", "-p", "task"], { cwd: home, env });
  expect([outcome.code, recorded()]).toEqual([3, undefined]);
});

test("a long nested prompt goes by stdin", async () => {
  const { env, recorded } = standInAgent("copilot");
  const prompt = "it's long ".repeat(1000);
  await signalbox(["nested-copilot", "--", "--yolo", "-p", prompt], { cwd: tempRepository(), env });
  expect(recorded()).toMatchObject({ argv: ["--yolo"], stdin: prompt });
});

test("a program that calls copilot by name comes through the shim to the real one", () => {
  const { env, recorded } = standInAgent("copilot");
  const link = tempFolder();
  symlinkSync(join(SHIMS, "copilot"), join(link, "copilot"));
  const path = `${link}:${SHIMS}:${env["PATH"]}`;
  execFileSync("copilot", ["--allow-all", "-p", "it's"], {
    env: { ...env, PATH: path },
    cwd: tempRepository(),
    stdio: "pipe",
  });
  expect(recorded()?.argv).toEqual(["--allow-all", "-p", "it's"]);
});

test("with only shims on PATH there is no copilot, and no loop", async () => {
  const copied = tempFolder();
  copyFileSync(join(SHIMS, "copilot"), join(copied, "copilot"));
  const env = { PATH: `${SHIMS}:${copied}:/usr/bin:/bin`, HOME: tempFolder() };
  expect((await signalbox(["nested-copilot", "--", "-p", "x"], { cwd: tempRepository(), env })).code).toBe(127);
});

test("a copilot that leads back to the shim is stopped", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "copilot"), `#!/bin/sh\nexec '${join(SHIMS, "copilot")}' "$@"\n`);
  chmodSync(join(folder, "copilot"), 0o755);
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: tempFolder() };
  const outcome = await signalbox(["nested-copilot", "--", "-p", "x"], { cwd: tempRepository(), env });
  expect(outcome.code).toBe(3);
  expect(outcome.stderr).toContain("this would be number 9, and the limit is 8");
});

test("a prompt flag without a value is a usage error and nothing starts", async () => {
  const { env, recorded } = standInAgent("copilot");
  const outcome = await signalbox(["nested-copilot", "--", "--model", "x", "-p"], { cwd: tempRepository(), env });
  expect([outcome.code, recorded()]).toEqual([2, undefined]);
});
