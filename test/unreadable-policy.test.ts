import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { signalbox, SIGNALBOX } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ["is a folder", (path) => mkdirSync(path)],
  ["is a pipe", (path) => execFileSync("mkfifo", [path])],
  ["is larger than a megabyte", (path) => writeFileSync(path, `# ${"x".repeat(1024 * 1024)}\n`)],
];

describe.each([
  [["claude", "-p", "x"]],
  [["guard", "explain", "--", "ls"]],
  [["run", "mock", "hi"]],
  [["native", "-p", "x", "--model", "openai/any"]],
])("signalbox %s", (args) => {
  test.each(DAMAGES)("names a policy of the workspace that %s", async (_, damage) => {
    const [cwd, { env }] = [tempRepository(), standInAgent("claude")];
    const path = join(cwd, ".signalbox/policy.yaml");
    mkdirSync(dirname(path));
    damage(path);
    const { code, stderr } = await signalbox(args, { cwd, env: { ...env, OPENAI_API_KEY: "none" } });
    expect(stderr).toMatch(/^signalbox: the policy cannot be read: .+\n {2}where: .+policy\.yaml\n {2}fix: /m);
    expect(stderr).toContain(`where: ${path}\n`);
    expect(code).toBe(2);
  });
});

test("a policy in the home that is no file is named", async () => {
  const { env, home } = standInAgent("claude");
  const path = join(home, ".signalbox/policy.yaml");
  rmSync(path);
  mkdirSync(path);
  const { code, stderr } = await signalbox(["claude", "-p", "x"], { cwd: tempRepository(), env });
  expect(stderr).toContain(`signalbox: the policy cannot be read: not a regular file\n  where: ${path}\n`);
  expect(code).toBe(2);
});

test.each([
  ["a file", (path: string) => writeFileSync(path, "")],
  ["a link in a circle", (path: string) => symlinkSync(".signalbox", path)],
])("init names a .signalbox of the repository that is %s", async (_, make) => {
  const cwd = tempRepository();
  make(join(cwd, ".signalbox"));
  const { code, stderr } = await signalbox(["init", "--yes"], { cwd });
  expect(stderr).toContain(`where: ${join(cwd, ".signalbox")}`);
  expect(code).toBe(1);
});

test.each(["guard explain -- ls", "guard compile", "guard replay", "run mock hi", "claude -p x"])(
  "signalbox %s says that the current folder no longer exists",
  (words) => {
    const folder = join(tempFolder(), "gone");
    mkdirSync(folder);
    const script = `cd "$1" && rmdir "$1" && shift && "$0" ${words} 2>&1; echo "code $?"`;
    const env = { PATH: process.env["PATH"], HOME: tempFolder() };
    const output = execFileSync("sh", ["-c", script, SIGNALBOX, folder], { env, encoding: "utf8" });
    rmSync(folder, { recursive: true, force: true });
    expect(output).toMatch(
      /^signalbox: the current folder no longer exists\n {2}where: \S.*\n {2}fix: cd to an existing folder\n/m,
    );
    expect(output).toContain("code 2\n");
  },
);
