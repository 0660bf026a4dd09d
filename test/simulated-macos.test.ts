import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { repositoryWith } from "./support/git-repository.ts";
import { needs } from "./support/platform.ts";
import { PROJECT } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

/** Every part that asks for the platform hears macOS. The system below stays the one that runs the test. */
const DARWIN = `data:text/javascript,Object.defineProperty(process,"platform",{value:"darwin"})`;

needs("ps")("with the branches for macOS: a run, its receipt, the list of runs, a prune and the guard", () => {
  const cwd = repositoryWith({ "a.txt": "a\n" });
  const env = { PATH: process.env["PATH"], HOME: tempFolder() };
  const run = (...args: string[]) => {
    const words = ["--import", DARWIN, join(PROJECT, "src/cli.ts"), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, env, encoding: "utf8" });
    return { status, text: `${stdout}${stderr}` };
  };
  const script = 'script=[{"bash":"ls"},{"say":"done"}]';
  expect(run("run", "mock", "t", "--param", script)).toMatchObject({ status: 0 });
  expect(run("receipt", "verify")).toMatchObject({ status: 0, text: expect.stringMatching(/^good: 1 receipt,/) });
  expect(run("runs", "--all").text).toMatch(/ complete \(0\) /);
  expect(run("guard", "explain", "cat ~/Library/Keychains/login.keychain-db").text).toMatch(/deny|Blocked/i);
  expect(run("prune", "--older-than", "0d").text).toMatch(/removed 3 things/);
  expect(execFileSync("git", ["status", "--short"], { cwd, encoding: "utf8" })).toBe("");
});
