import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

/** A repository that one person has staged and committed, as another one clones it. */
async function clonedRepository(): Promise<string> {
  const source = tempRepository();
  expect((await signalbox(["stage", "claude"], { cwd: source, env: { HOME: tempFolder() } })).code).toBe(0);
  git(source, "add", "-A");
  git(source, "commit", "-q", "-m", "stage");
  const clone = join(tempFolder(), "clone");
  execFileSync("git", ["clone", "-q", source, clone]);
  return clone;
}

test("a clone of a staged repository needs no trust for what was staged, and still for everything else", async () => {
  const cwd = await clonedRepository();
  const { env, recorded } = standInAgent("claude");
  const launch = () => signalbox(["claude", "-p", "task"], { cwd, env });
  const plain = await launch();
  expect([plain.code, recorded()?.guardFlags.includes("--setting-sources")]).toEqual([0, true]);
  expect(plain.stderr).not.toContain("trust");

  const settings = join(cwd, ".claude/settings.json");
  const before = readFileSync(settings, "utf8");
  writeFileSync(settings, before.replace("{", '{ "env": { "SIGNALBOX_HOME": "/elsewhere" },'));
  const changed = await launch();
  expect([changed.code, recorded()?.guardFlags.includes("--setting-sources")]).toEqual([0, true]);
  expect(changed.stderr).toContain(".claude/settings.json in this repository can start programs and is not trusted");

  writeFileSync(settings, before);
  const wrapper = join(cwd, ".claude/hooks/signalbox");
  writeFileSync(wrapper, `${readFileSync(wrapper, "utf8")}# and more\n`);
  expect((await launch()).stderr).toContain(".claude/settings.json in this repository can start programs");
});
