import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { SIGNALBOX, signalbox } from "../support/run-signalbox.ts";
import { realAgent, UNATTENDED } from "./real-agent.ts";

const NAMES = ["claude", "codex", "copilot"] as const;

test.each(NAMES)(
  "after a launch of %s the repository knows it, from setsid, tmux and below, without environment",
  async (name) => {
    await using agent = await realAgent(name, { turns: [{ text: "unused" }] });
    const { cwd } = agent;
    const launched = await signalbox([name, "--", "--version"], { cwd, env: agent.env });
    expect([launched.code, /\d+\.\d+\.\d+/.test(launched.stdout)]).toEqual([0, true]);

    mkdirSync(join(cwd, "nested/folder"), { recursive: true });
    const bare = ["-i", "PATH=/usr/bin:/bin", `HOME=${agent.env["HOME"]}`];
    const ask = (folder: string, ...before: string[]) =>
      execFileSync("env", [...bare, ...before, SIGNALBOX, "agent", "--json"], { cwd: folder, encoding: "utf8" });
    const expected = `${JSON.stringify({ agent: name, source: "file", warnings: [] })}\n`;
    expect(ask(cwd)).toBe(expected);
    expect(ask(join(cwd, "nested/folder"))).toBe(expected);
    expect(ask(cwd, "setsid", "--wait")).toBe(expected);

    const socket = join(agent.env["HOME"] ?? "", "tmux");
    const tmux = (...args: string[]) =>
      execFileSync("env", [...bare, "tmux", "-S", socket, "-f", "/dev/null", ...args], { cwd });
    tmux("new-session", "-d", `'${SIGNALBOX}' agent --json > answer.json; sleep 30`);
    try {
      for (
        let tries = 0;
        tries < 200 && !(existsSync(join(cwd, "answer.json")) && readFileSync(join(cwd, "answer.json"), "utf8") !== "");
        tries++
      )
        await sleep(50);
      expect(readFileSync(join(cwd, "answer.json"), "utf8")).toBe(expected);
    } finally {
      tmux("kill-server");
    }
  },
);

test.each(NAMES)("%s works through signalbox: a tool call, its result, an answer, exit code 0", async (name) => {
  await using agent = await realAgent(name, {
    turns: [{ shell: "echo made by the agent > made.txt; env > environment.txt" }, { text: "all is written" }],
  });
  const env = { ...agent.env, GH_TOKEN: "gh-secret-value", GITHUB_TOKEN: "github-secret-value", CLAUDECODE: "1" };
  // The rules would deny a look at the whole environment, which is what this test is about.
  const args = [name, "-p", "write it", "--unguarded", "--", ...UNATTENDED[name]];
  const outcome = await signalbox(args, { cwd: agent.cwd, env });
  expect([outcome.code, agent.model.failedExpectations]).toEqual([0, []]);
  expect(outcome.stdout).toContain("all is written");
  expect(readFileSync(join(agent.cwd, "made.txt"), "utf8")).toBe("made by the agent\n");
  const tools = readFileSync(join(agent.cwd, "environment.txt"), "utf8");
  expect(tools).not.toContain("secret-value");
  expect(tools).toContain(`SIGNALBOX_AGENT=${name}`);
  expect(tools).toContain(`AMPLIHACK_AGENT_BINARY=${name}`);
});

test.each(NAMES)("a model that refuses makes %s fail, and signalbox with it", async (name) => {
  await using agent = await realAgent(name, {
    turns: [{ text: "never", failures: Array.from({ length: 12 }, () => ({ status: 400 })) }],
  });
  const outcome = await signalbox([name, "-p", "try", "--", ...UNATTENDED[name]], { cwd: agent.cwd, env: agent.env });
  expect(outcome.code).toBe(1);
});

test("a program that calls copilot by name reaches the real one through the shim", async () => {
  await using agent = await realAgent("copilot", { turns: [{ text: "nested answer" }] });
  const shims = join(SIGNALBOX, "../../shims");
  const args = [
    "--append-system-prompt",
    "Be brief.",
    "--dangerously-skip-permissions",
    "--allow-tool=write",
    "-s",
    "-p",
    "the task",
  ];
  const env = { ...agent.env, PATH: `${shims}:${agent.env["PATH"]}` };
  const running = promisify(execFile)("copilot", args, { cwd: agent.cwd, env, timeout: 60_000 });
  running.child.stdin?.end();
  const { stdout } = await running;
  expect(stdout).toContain("nested answer");
  expect(agent.model.requests[0]?.userTexts.at(-1)).toContain("Be brief.\n\nthe task");
});
