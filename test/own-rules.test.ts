import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { before, decisionOf, type Held, launchCaller } from "./support/hook-calling-agent.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempRepository } from "./support/temp-folder.ts";

function write(folder: string, path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode });
}

interface Own {
  readonly agent: Held;
  readonly path?: string;
  readonly text?: string;
  readonly flags?: readonly string[];
  /** What the message names. */
  readonly named: readonly string[];
}

test.each<Own>([
  {
    agent: "claude",
    path: ".claude/settings.json",
    text: JSON.stringify({ permissions: { deny: ["Bash(timeout:5)"] } }),
    named: ["Bash(timeout:5)", ".claude/settings.json:1"],
  },
  {
    agent: "codex",
    path: ".codex/rules/d.rules",
    text: 'prefix_rule(["ls"])\nfor x in ["touch"]: prefix_rule(pattern=[x], decision="forbidden")\n',
    named: ["for x in", "d.rules:2"],
  },
  { agent: "copilot", flags: ["--deny-tool=shell(touch"], named: ["shell(touch", "--deny-tool"] },
])("an unreadable rule of $agent: refused where a sandbox is required, uncontained under auto", async (own) => {
  const { agent, path, text, flags = [], named } = own;
  const start = async (level: string) => {
    const { env, home, recorded } = standInAgent(agent);
    write(home, ".signalbox/policy.yaml", `version: 1\nsandbox: ${level}\n`);
    if (path !== undefined) write(home, path, text ?? "");
    const { code, stderr } = await signalbox([agent, "-p", "go", "--", ...flags], { cwd: tempRepository(), env });
    for (const word of named) expect(stderr).toContain(word);
    return [code, recorded() !== undefined, stderr.includes("contained: no")];
  };
  expect([await start("workspace"), await start("auto")]).toEqual([
    [3, false, false],
    [0, true, true],
  ]);
});

test("Copilot is never answered allow where it has deny rules, launched or not", async () => {
  const cwd = tempRepository();
  const prepare = (home: string) =>
    write(home, ".signalbox/hooks/tool-before", `#!/bin/sh\necho '{"permissionDecision":"allow"}'\n`, 0o700);
  const steps = [before("copilot", "ls", cwd)];
  const decision = async (flags: readonly string[]) => {
    const { answers } = await launchCaller("copilot", steps, { cwd, flags, prepare });
    return decisionOf("copilot", answers[0]);
  };
  expect([await decision([]), await decision(["--deny-tool=shell(rm)"])]).toEqual(["allow", "none"]);
  const { env, home } = standInAgent("copilot");
  prepare(home);
  const outside = (flag: string) => {
    const script = `'${SIGNALBOX}' hook tool-before --agent copilot; exit $?`;
    const input = JSON.stringify(steps[0]?.payload);
    // Copilot itself, with its flags, stands above the hook.
    const { stdout } = spawnSync("sh", ["-c", script, "copilot", flag], { cwd, env, input, encoding: "utf8" });
    return decisionOf("copilot", { status: 0, stdout, stderr: "" });
  };
  expect([outside("--allow-all-tools"), outside("--deny-tool=shell(rm)")]).toEqual(["allow", "none"]);
});

test("outside a launch a command that zsh reads differently is asked about, one that all read alike is not", async () => {
  const cwd = tempRepository();
  const answer = async (command: string) => {
    const input = JSON.stringify(before("claude", command, cwd).payload);
    const { stdout } = await signalbox(["hook", "tool-before", "--agent", "claude"], { cwd, input });
    return decisionOf("claude", { status: 0, stdout, stderr: "" });
  };
  expect([await answer("echo x >! notes.txt"), await answer("echo x > notes.txt")]).toEqual(["ask", "none"]);
});

test("a launch pins Claude Code to bash, so nothing is asked about there", async () => {
  const cwd = tempRepository();
  const command = "echo x >! notes.txt";
  const claude = await launchCaller("claude", [before("claude", command, cwd)], { cwd });
  const codex = await launchCaller("codex", [before("codex", command, cwd)], { cwd });
  expect([decisionOf("claude", claude.answers[0]), decisionOf("codex", codex.answers[0])]).toEqual(["none", "deny"]);
});
