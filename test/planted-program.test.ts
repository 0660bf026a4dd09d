import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

/** A repository with programs of these names in a folder that PATH names first; `ran` tells those that were started. */
function plantedIn(names: readonly string[]) {
  const workspace = tempRepository();
  const bin = join(workspace, "node_modules/.bin");
  const log = join(tempFolder(), "ran");
  mkdirSync(bin, { recursive: true });
  for (const name of names) writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>'${log}'\n`, { mode: 0o755 });
  const ran = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const path = (rest: string | undefined) => ({ PATH: `${bin}:${rest ?? ""}`, HOME: tempFolder() });
  return { workspace, bin, path, ran };
}

const TASK = ["-p", "task"];
const STARTS: readonly (readonly string[])[] = [
  ["claude", ...TASK],
  ["claude", "--unguarded", ...TASK],
  ["claude", "--", "--version"],
  ["claude", "--", "mcp", "list"],
  ["codex", ...TASK],
  ["copilot", ...TASK],
  ["nested-copilot", "--", ...TASK],
  ["prove", "claude"],
];

test.each(STARTS)("a planted program is not started by: signalbox %s %s %s", async (...words) => {
  const { workspace, bin, path, ran } = plantedIn(["claude", "codex", "copilot"]);
  const outcome = await signalbox(words, { cwd: workspace, env: path("/usr/bin:/bin") });
  expect([outcome.code, ran()]).toEqual([3, []]);
  expect(outcome.stderr).toContain("will not start a program inside the workspace as the agent");
  expect(outcome.stderr).toContain(bin);
});

test.each(["claude", "codex", "copilot"])("a run gives no task to a planted %s", async (name) => {
  const { workspace, path, ran } = plantedIn([name]);
  const env = path("/usr/bin:/bin");
  for (const more of [[], ["--unguarded"], ["--staged"]]) {
    const outcome = await signalbox(["run", name, "task", ...more], { cwd: workspace, env });
    expect([outcome.code === 0, ran()]).toEqual([false, []]);
    expect(outcome.stdout + outcome.stderr).toContain("will not start a program inside the workspace as the agent");
  }
});

test("a run by command passes over a planted program, and takes one that is named by its path", async () => {
  const { workspace, bin, path, ran } = plantedIn(["agent"]);
  const options = { cwd: workspace, env: path("/usr/bin:/bin") };
  for (const flag of ["--acp", "--sidecar"]) {
    const outcome = await signalbox(["run", flag, "agent", "task"], options);
    expect([outcome.code === 0, ran()]).toEqual([false, []]);
    expect(outcome.stdout + outcome.stderr).toContain("agent is inside the workspace, so it is not started");
  }
  await signalbox(["run", "--sidecar", join(bin, "agent"), "task"], options);
  expect(ran()).toEqual(["agent"]);
});

test("the agent outside is started instead, with a word about the planted one", async () => {
  const { workspace, bin, path, ran } = plantedIn(["claude"]);
  const { env, recorded } = standInAgent("claude");
  const outcome = await signalbox(["claude", ...TASK], {
    cwd: workspace,
    env: { ...env, PATH: path(env["PATH"]).PATH },
  });
  expect([outcome.code, ran(), recorded() === undefined]).toEqual([0, [], false]);
  expect(outcome.stderr).toContain(
    `skipped ${join(bin, "claude")}: it is inside the workspace and could come with the repository`,
  );
});

test("the setting starts a program inside the workspace", async () => {
  const { workspace, bin, path, ran } = plantedIn(["claude"]);
  const env = { ...path("/usr/bin:/bin"), SIGNALBOX_CLAUDE_BINARY: join(bin, "claude") };
  expect((await signalbox(["claude", ...TASK], { cwd: workspace, env })).code).toBe(0);
  expect(ran()).toEqual(["claude"]);
});

test("a planted interpreter does not run an agent that is a script, and tools keep PATH as it was", async () => {
  const { workspace, bin, path, ran } = plantedIn(["node"]);
  const { env, recorded, folder } = standInAgent("claude");
  const text = readFileSync(join(folder, "claude"), "utf8");
  writeFileSync(join(folder, "claude"), text.replace("#!/bin/sh", "#!/usr/bin/env node"));
  symlinkSync("/bin/sh", join(folder, "node"));
  const whole = { ...env, PATH: path(env["PATH"]).PATH };
  const outcome = await signalbox(["claude", ...TASK], { cwd: workspace, env: whole });
  expect([outcome.code, ran(), recorded()?.env["PATH"]]).toEqual([0, [], whole.PATH]);
  expect(outcome.stderr).toContain(`skipped ${join(bin, "node")}`);
});

test("doctor names a planted program and starts it no more than a launch does", async () => {
  const { workspace, path, ran } = plantedIn(["claude"]);
  const { stdout } = await signalbox(["doctor", "--verbose"], { cwd: workspace, env: path("/usr/bin:/bin") });
  expect([stdout.includes("will not start a program inside the workspace"), ran()]).toEqual([true, []]);
});

test.each([".", "sub"])("doctor in %s of a repository takes the version of git from outside", async (folder) => {
  const { workspace, path, ran } = plantedIn(["git"]);
  mkdirSync(join(workspace, "sub"));
  const { stdout } = await signalbox(["doctor", "--verbose"], {
    cwd: join(workspace, folder),
    env: path("/usr/bin:/bin"),
  });
  expect([stdout.includes("git version"), ran()]).toEqual([true, []]);
});

test("a proof in a folder of a repository starts no git of its, and neither does the agent there", async () => {
  const { workspace, path, ran } = plantedIn(["git"]);
  mkdirSync(join(workspace, "sub"));
  const { env } = standInAgent("claude", 'test "$1" = --version && echo 1 || git --version');
  const whole = { ...env, PATH: path(env["PATH"]).PATH };
  const { code } = await signalbox(["prove", "claude", "--only", "deny,contained-write"], {
    cwd: join(workspace, "sub"),
    env: whole,
  });
  expect([code, ran()]).toEqual([1, []]);
});

test("signalbox itself, started through a link, runs no planted program", () => {
  const { workspace, path, ran } = plantedIn(["node", "readlink", "find", "sh"]);
  const elsewhere = tempFolder();
  symlinkSync(SIGNALBOX, join(elsewhere, "signalbox"));
  const options = { cwd: workspace, env: path(dirname(process.execPath)), encoding: "utf8" } as const;
  expect(execFileSync(join(elsewhere, "signalbox"), ["--version"], options)).toMatch(/\d/);
  expect(ran()).toEqual([]);
});

test("without a Node of its own, signalbox takes the one outside the workspace", () => {
  const { workspace, path, ran } = plantedIn(["node"]);
  const elsewhere = tempFolder();
  for (const folder of ["bin", "dist"]) mkdirSync(join(elsewhere, folder));
  copyFileSync(join(PROJECT, "bin/signalbox"), join(elsewhere, "bin/signalbox"));
  writeFileSync(join(elsewhere, "dist/signalbox.cjs"), "console.log(JSON.stringify(process.argv.slice(2)))");
  const env = path(`${dirname(process.execPath)}:/usr/bin:/bin`);
  const options = { cwd: workspace, env, encoding: "utf8" } as const;
  expect(execFileSync(join(elsewhere, "bin/signalbox"), ["two words", "*"], options)).toBe('["two words","*"]\n');
  expect(ran()).toEqual([]);
});
