import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { before, decisionOf, launchCaller } from "./support/hook-calling-agent.ts";
import { PROJECT } from "./support/run-signalbox.ts";
import { tempRepository } from "./support/temp-folder.ts";

function write(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const trustAll = (cwd: string, home: string) =>
  execFileSync(join(PROJECT, "bin/signalbox"), ["trust", "--yes"], { cwd, env: { ...process.env, HOME: home } });

test("a strange repository's Claude settings are left out without a person, but their denials stay", async () => {
  const cwd = tempRepository();
  write(
    cwd,
    ".claude/settings.json",
    JSON.stringify({ hooks: { SessionStart: [] }, permissions: { deny: ["Read(./secret)"], allow: ["Bash"] } }),
  );
  const { argv, outcome } = await launchCaller("claude", [], {
    cwd,
    flags: ["--settings", '{"model":"m","permissions":{"ask":["Edit"]}}'],
  });
  expect(argv.slice(0, 5)).toEqual(["-p", "--setting-sources", "user", "--add-dir", cwd]);
  expect(argv).toContain("--settings");
  expect(outcome.stderr).toContain(".claude/settings.json in this repository can start programs and is not trusted");
});

test("settings of the person's own that Claude Code would ignore, and ours with them, are refused", async () => {
  const { outcome, argv } = await launchCaller("claude", [], { flags: ["--settings", '{"model":5}'] });
  expect([outcome.code, argv]).toEqual([3, []]);
  expect(outcome.stderr).toContain("Claude Code rejects your settings");
});

test("a repository's own settings are left out without a person, also where there is nothing yet, until all is trusted", async () => {
  const cwd = tempRepository();
  mkdirSync(join(cwd, "sub"));
  write(cwd, "CLAUDE.md", "text");
  const plain = await launchCaller("claude", [], { cwd: join(cwd, "sub") });
  const folders = ["--add-dir", cwd, "--add-dir", join(cwd, "sub")];
  expect(plain.argv.slice(0, 7)).toEqual(["-p", "--setting-sources", "user", ...folders]);
  expect(plain.outcome.stderr).not.toContain("trust");

  write(cwd, ".claude/commands/x.md", "---\ndescription: x\n---\ntext");
  const harmless = await launchCaller("claude", [], { cwd });
  expect([harmless.argv.includes("--setting-sources"), harmless.outcome.stderr]).toEqual([
    true,
    expect.stringContaining(".claude/commands/x.md in this repository can start programs and is not trusted"),
  ]);
  const prepare = (home: string) => trustAll(cwd, home);
  expect((await launchCaller("claude", [], { cwd, prepare })).argv).not.toContain("--setting-sources");
});

test("a trusted repository whose settings or skills change during the session is denied every call", async () => {
  const cwd = tempRepository();
  write(cwd, ".claude/settings.json", "{}");
  const change = "mkdir -p .claude/skills/x; echo text > .claude/skills/x/SKILL.md";
  const steps = [
    before("claude", "ls", cwd),
    { sh: change },
    before("claude", "ls", cwd),
    { sh: 'kill -9 "$LAUNCHER"' },
    before("claude", "ls", cwd),
    { sh: "rm -r .claude/skills" },
    before("claude", "ls", cwd),
  ];
  const { answers, argv } = await launchCaller("claude", steps, { cwd, prepare: (home) => trustAll(cwd, home) });
  expect(argv).not.toContain("--setting-sources");
  expect(answers.map((answer) => decisionOf("claude", answer))).toEqual(["none", "deny", "deny", "none"]);
  expect(answers[1]?.stdout).toContain("was added or changed during this session");
});

/** Copilot's own way to tell that an agent is about to be asked. */
const task = (cwd: string) => ({
  event: "preToolUse",
  payload: { sessionId: "s", timestamp: 1, cwd, toolName: "task", toolArgs: { agent_type: "x", prompt: "x" } },
});

test("a Copilot agent of the repository that names servers is not called until it is trusted, whenever it came", async () => {
  const evil = '---\nname: x\n"mcp\\x2dservers": { e: { command: sh } }\n---\nYou.\n';
  const path = ".github/agents/x.agent.md";
  const cwd = tempRepository();
  write(cwd, path, "---\nname: x\n---\nYou.\n");
  write(cwd, "evil.md", evil);
  const steps = [task(cwd), { sh: `cp evil.md ${path}` }, task(cwd), before("copilot", "ls", cwd)];
  const late = await launchCaller("copilot", steps, { cwd });
  expect(late.answers.map((answer) => decisionOf("copilot", answer))).toEqual(["none", "deny", "none"]);
  expect(late.answers[1]?.stdout).toContain("x.agent.md can start programs and is not trusted");

  const gone = await launchCaller("copilot", [{ sh: `echo harmless > ${path}` }, task(cwd)], { cwd });
  expect(gone.answers.map((answer) => decisionOf("copilot", answer))).toEqual(["deny"]);

  write(cwd, path, evil);
  const named = await launchCaller("copilot", [], { cwd, flags: ["--agent", "x"] });
  expect([named.outcome.code, named.outcome.stderr]).toEqual([3, expect.stringContaining("is not trusted")]);
  const prepare = (home: string) => trustAll(cwd, home);
  const trusted = await launchCaller("copilot", [task(cwd)], { cwd, prepare, flags: ["--agent", "x"] });
  expect(trusted.answers.map((answer) => decisionOf("copilot", answer))).toEqual(["none"]);
});
