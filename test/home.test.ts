import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOOK_EVENTS } from "../src/agents/pack/hook-event.ts";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const NOT_HERE =
  /^signalbox: signalbox cannot store its files here \(\w+\)\n {2}where: (.+)\n {2}fix: make it a writable folder/m;

describe.each([
  ["key", "show"],
  ["run", "mock", "hi"],
  ["guard", "compile"],
  ["init", "--yes"],
  ["prove", "claude"],
  ["sessions", "list"],
  ["stage"],
])("signalbox %s %s %s", (...words) => {
  const args = words.filter((word) => typeof word === "string");

  test("names a file that is in the way of the home, and leaves the repository alone", async () => {
    const [home, cwd] = [tempFolder(), tempRepository()];
    const file = join(home, ".signalbox");
    writeFileSync(file, "");
    const { code, stderr } = await signalbox(args, { cwd, env: { ...standInAgent("claude").env, HOME: home } });
    expect({ code, where: NOT_HERE.exec(stderr)?.[1], left: readdirSync(cwd) }).toEqual({
      code: 1,
      where: file,
      left: [".git"],
    });
  });
});

test.each([
  ["runs", ["runs"]],
  ["audit", ["audit", "verify"]],
  ["audit", ["audit", "show"]],
  ["heads", ["audit", "verify"]],
  ["receipts", ["receipt", "list"]],
  ["receipts", ["receipt", "verify"]],
  ["receipts", ["receipt", "show", "x"]],
])("a file where the folder %s belongs is named by signalbox %s", async (name, args) => {
  const home = tempFolder();
  mkdirSync(join(home, ".signalbox"));
  writeFileSync(join(home, ".signalbox", name), "");
  const { code, stderr } = await signalbox(args, { env: { HOME: home } });
  expect({ code, where: NOT_HERE.exec(stderr)?.[1] }).toEqual({ code: 1, where: join(home, ".signalbox", name) });
});

test.each([
  ["receipt list"],
  ["receipt verify"],
  ["receipt show x"],
  ["runs"],
  ["cancel abcd"],
  ["apply abcd"],
  ["audit verify"],
  ["audit show"],
  ["guard replay"],
])("signalbox %s names a home that is a file, and prints nothing else", async (line) => {
  const home = join(tempFolder(), "home");
  writeFileSync(home, "");
  const { code, stdout, stderr } = await signalbox(line.split(" "), { env: { SIGNALBOX_HOME: home } });
  expect({ code, stdout, where: NOT_HERE.exec(stderr)?.[1] }).toEqual({ code: 1, stdout: "", where: home });
});

test.each(["claude", "codex", "copilot"])(
  "a repository's policy that cannot be compiled into the home keeps %s from starting",
  async (agent) => {
    const [home, cwd, standIn] = [tempFolder(), tempRepository(), standInAgent(agent)];
    writeFileSync(join(home, ".signalbox"), "");
    mkdirSync(join(cwd, ".signalbox"));
    writeFileSync(join(cwd, ".signalbox/policy.yaml"), "version: 1\n");
    const { code, stderr } = await signalbox([agent, "-p", "x"], { cwd, env: { ...standIn.env, HOME: home } });
    expect({ code, where: NOT_HERE.exec(stderr)?.[1] }).toEqual({ code: 1, where: join(home, ".signalbox") });
    expect(standIn.recorded()).toBeUndefined();
  },
);

test("a home that is a link to nowhere is named", async () => {
  const link = join(tempFolder(), "home");
  symlinkSync("missing", link);
  const { code, stderr } = await signalbox(["key", "show"], { env: { HOME: link } });
  expect({ code, where: NOT_HERE.exec(stderr)?.[1] }).toEqual({ code: 1, where: link });
});

test.runIf(process.platform === "linux").each([
  ["SIGNALBOX_HOME", "/proc/x", ["key", "show"]],
  ["HOME", "/proc/1", ["key", "show"]],
  ["HOME", "/proc/1", ["run", "mock", "hi"]],
  ["HOME", "/proc/1", ["prove", "claude"]],
])("%s=%s, where no folder can be made, ends signalbox %s with advice", async (name, value, args) => {
  const options = { cwd: tempRepository(), env: { ...standInAgent("claude").env, [name]: value } };
  const { code, stderr } = await signalbox(args, options);
  expect(stderr).toMatch(NOT_HERE);
  expect(code).toBe(1);
});

test.runIf(process.platform === "linux").each([
  ["HOME", "/proc"],
  ["SIGNALBOX_HOME", "/proc/x"],
])("%s=%s starts an agent none of whose calls is allowed", async (name, value) => {
  const options = { cwd: tempRepository(), env: { ...standInAgent("claude").env, [name]: value } };
  const { code, stderr } = await signalbox(["claude", "-p", "hi"], options);
  expect(stderr).toContain("so calls can be neither recorded nor allowed");
  expect(code).toBe(0);
});

test.each([
  [{ HOME: "" }, "HOME is empty", "HOME="],
  [{ HOME: "here" }, "HOME is not an absolute path", "HOME=here"],
  [{ SIGNALBOX_HOME: "here" }, "SIGNALBOX_HOME is not an absolute path", "SIGNALBOX_HOME=here"],
])("with %o nothing is written", async (env, what, where) => {
  const cwd = tempRepository();
  for (const args of [
    ["claude", "-p", "x"],
    ["key", "show"],
    ["run", "mock", "hi"],
    ["init", "--yes"],
  ]) {
    const outcome = await signalbox(args, { cwd, env: { ...standInAgent("claude").env, ...env } });
    expect(outcome).toMatchObject({ code: 2 });
    expect(outcome.stderr).toContain(`signalbox: ${what}\n  where: ${where}\n  fix: set `);
    expect(readdirSync(cwd)).toEqual([".git"]);
  }
});

test("with a home that cannot be used, a hook refuses before a tool and at a stop, and goes on at other moments", async () => {
  const options = { cwd: tempRepository(), env: { SIGNALBOX_HOME: "here" }, input: "{}" };
  const because = "signalbox failed to answer: SIGNALBOX_HOME is not an absolute path";
  const answers = HOOK_EVENTS.map(async (event) => {
    const { code, stderr } = await signalbox(["hook", event, "--agent", "claude"], options);
    expect(stderr).toContain(because);
    return [event, code];
  });
  const closed = ["tool-before", "agent-stop", "subagent-stop"];
  expect(await Promise.all(answers)).toEqual(HOOK_EVENTS.map((event) => [event, closed.includes(event) ? 2 : 0]));
});

test.each(["", "here"])("with HOME=%s the historical hook denies, and says why", async (home) => {
  const input = JSON.stringify({ tool_name: "Bash", tool_input: { command: "pwd" } });
  const { code, stdout } = await signalbox(["xpia-hook"], { cwd: tempRepository(), env: { HOME: home }, input });
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ permissionDecision: "deny", message: expect.stringContaining("HOME is") }),
  ]);
  const bundle = spawnSync(process.execPath, [join(PROJECT, "src/hooks/hook.ts"), input], {
    env: { HOME: home },
    encoding: "utf8",
  });
  expect([bundle.status, JSON.parse(bundle.stdout)]).toEqual([
    0,
    expect.objectContaining({ permissionDecision: "deny" }),
  ]);
});
