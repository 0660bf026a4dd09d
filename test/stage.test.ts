import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "./support/run-signalbox.ts";
import { refreshStaged } from "../src/staging/refresh.ts";
import { callWrapper, repository, snapshot } from "./support/staged-repository.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

test("stage, stage again, unstage: everything is there, then nothing is written, then every byte is as before", async () => {
  const { cwd, run, read, status } = repository();
  const before = snapshot(cwd);
  const staged = await run("stage");
  expect([staged.code, staged.stderr]).toEqual([0, ""]);
  expect(staged.stdout).toContain("Codex silently skips untrusted hooks");
  for (const comment of [
    "// What this project does not want.",
    "/* both\n  kinds of comments */",
    "// ours since 2024",
  ])
    expect(read(".claude/settings.json")).toContain(comment);
  const after = snapshot(cwd);
  const again = await run("stage");
  expect([again.code, again.stdout.split("\n")[0]]).toEqual([0, "Already staged; nothing was written."]);
  expect(snapshot(cwd)).toEqual(after);
  expect((await run("stage", "--check")).code).toBe(0);

  const back = await run("unstage");
  expect([back.code, back.stderr]).toEqual([0, ""]);
  expect(snapshot(cwd)).toEqual(before);
  expect(status()).toBe("");
});

test.each([["stage"], ["stage", "--check"]])("%j refuses an agent for which nothing can be staged", async (...args) => {
  const { cwd, run } = repository();
  const before = snapshot(cwd);
  const { code, stdout, stderr } = await run(...args, "gemini");
  expect([code, stdout, stderr.split("\n")[0]]).toEqual([2, "", "signalbox: nothing can be staged for Gemini CLI"]);
  expect(stderr).toContain("signalbox gemini");
  expect(snapshot(cwd)).toEqual(before);
});

test("a .github that is a link inside the repository is staged through, checked and taken back", async () => {
  const cwd = tempRepository();
  mkdirSync(join(cwd, "shared"));
  writeFileSync(join(cwd, "shared/keep"), "");
  symlinkSync("shared", join(cwd, ".github"));
  const env = { HOME: tempFolder() };
  const codes = [];
  for (const args of [["stage", "copilot"], ["stage", "copilot"], ["stage", "--check"], ["unstage"]])
    codes.push((await signalbox(args, { cwd, env })).code);
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(existsSync(join(cwd, "shared/hooks/pre-tool-use"))).toBe(false);
});

test("each agent gets every surface in the place where it looks", async () => {
  const { run, read } = repository();
  const { stdout } = await run("stage", "--json");
  const { written }: { written: string[] } = JSON.parse(stdout);
  expect(written.toSorted()).toEqual([
    ".agents/skills/fix/SKILL.md",
    ".agents/skills/notes/SKILL.md",
    ".agents/skills/notes/bin/run",
    ".claude/agents/reviewer.md",
    ".claude/commands/fix.md",
    ".claude/hooks/signalbox",
    ".claude/settings.json",
    ".claude/skills/notes/SKILL.md",
    ".claude/skills/notes/bin/run",
    ".codex/agents/reviewer.toml",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".codex/hooks/signalbox",
    ".github/agents/reviewer.agent.md",
    ".github/hooks/agent-stop",
    ".github/hooks/error-occurred",
    ".github/hooks/post-tool-use",
    ".github/hooks/pre-compact",
    ".github/hooks/session-start",
    ".github/hooks/session-stop",
    ".github/hooks/signalbox-pre-tool-use",
    ".github/hooks/signalbox.json",
    ".github/hooks/subagent-stop",
    ".github/hooks/user-prompt-submit",
    ".mcp.json",
    "AGENTS.md",
    "CLAUDE.md",
  ]);
  expect(JSON.parse(read(".github/hooks/signalbox.json"))).toMatchObject({
    hooks: { preToolUse: [{ type: "command", bash: ".github/hooks/signalbox-pre-tool-use", timeoutSec: 60 }] },
  });
  expect(read(".codex/agents/reviewer.toml")).toBe(
    '# Made from .signalbox/agents by signalbox stage.\nname = "reviewer"\ndescription = "Reviews: all"\ndeveloper_instructions = """\nSay ""\\"what""\\" is \\\\ wrong."""\n',
  );
  expect(read(".codex/config.toml")).toBe(
    'model = "x"\n\n# signalbox:start\n[mcp_servers.demo]\ncommand = "demo"\nargs = ["a b"]\nenv = { K = "v" }\n# signalbox:end\n',
  );
  expect(read("AGENTS.md")).toMatch(
    /^# Agents\r\n\r\nNo line feed at the end\r\n\r\n<!-- signalbox:start -->\r\n[^\n]+\r\n\r\nBe kind\.\r\n<!-- signalbox:end -->\r\n$/,
  );
  expect(read(".agents/skills/fix/SKILL.md")).toBe(
    '---\nname: fix\ndescription: "Fix $ARGUMENTS"\n---\n\n`$ARGUMENTS` stands for what the user wrote after the name of this command, and `$1`, `$2` for its words.\n\nFix $ARGUMENTS\n',
  );
});

test("no staged file names anything of this machine", async () => {
  const { cwd, env, run, status } = repository();
  await run("stage");
  const paths = status()
    .split("\n")
    .filter((line) => line.startsWith("??"))
    .map((line) => line.slice(3));
  const texts = Object.entries(snapshot(cwd)).filter(([name]) => paths.some((path) => name.startsWith(path)));
  expect(texts.length).toBeGreaterThan(10);
  const words = [process.execPath, dirname(import.meta.dirname), env["HOME"] ?? "", "signalbox test's"];
  expect(texts.filter(([, text]) => words.some((word) => text.includes(word)))).toEqual([]);
});

test("a teammate without signalbox is warned once and held by nothing, unless it is required; a clone can be unstaged", async () => {
  const { cwd, env, run } = repository({ "AGENTS.md": "words\n" });
  await run("stage");
  const commit = (message: string) => {
    execFileSync("git", ["add", "-A"], { cwd });
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", message], { cwd });
  };
  commit("staged");
  const clone = join(tempFolder(), "clone");
  const home = tempFolder();
  execFileSync("git", ["clone", "-q", cwd, clone]);
  const teammate = { cwd: clone, env: { HOME: home, TMPDIR: home, PATH: process.env["PATH"] } };
  expect(callWrapper(teammate)).toEqual([0, "{}\n", expect.stringContaining("not set up on this machine")]);
  expect(callWrapper(teammate)).toEqual([0, "{}\n", ""]);
  const check = await signalbox(["stage", "--check"], teammate);
  expect([check.code, check.stdout, check.stderr]).toEqual([
    0,
    "Everything is staged and up to date.\n",
    expect.stringContaining("the program that staged hooks call on this machine is missing or stale"),
  ]);
  expect(await stagedCheck(teammate)).toMatchObject({
    status: "fail",
    fix: expect.stringContaining("signalbox stage"),
  });

  expect((await run("stage", "--required")).code).toBe(0);
  expect((await run("stage")).stdout).toContain("nothing was written");
  commit("required");
  execFileSync("git", ["pull", "-q"], { cwd: clone });
  const denied = callWrapper(teammate);
  expect([denied[0], JSON.parse(denied[1])]).toEqual([
    2,
    expect.objectContaining({ permissionDecision: "deny", message: expect.stringContaining("requires signalbox") }),
  ]);

  expect((await signalbox(["unstage"], teammate)).code).toBe(0);
  // As the umask has it.
  const fileMode = (0o666 & ~process.umask()).toString(8);
  expect(snapshot(clone)).toEqual({ ".git": expect.any(String), "AGENTS.md": `${fileMode} words\n` });
  expect(env["HOME"]).not.toBe(home);
});

test("a missing hook is an error that names agent, event, place and remedies, in stage --check and in doctor", async () => {
  const { cwd, env, run } = repository({});
  const nothing = await run("stage", "--check");
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining("nothing is staged here")]);
  await run("stage", "copilot");
  rmSync(join(cwd, ".github/hooks/pre-tool-use"));
  const check = await run("stage", "--check");
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringContaining(
      "GitHub Copilot CLI, hook preToolUse: .github/hooks/pre-tool-use: it is missing or stale\nfix for copilot: run: signalbox stage copilot; or work with an agent that is staged here",
    ),
  ]);
  expect(await stagedCheck({ cwd, env })).toMatchObject({
    status: "fail",
    summary: "copilot, event preToolUse: .github/hooks/pre-tool-use: it is missing or stale",
    fix: expect.stringContaining("signalbox stage copilot"),
  });
  await run("stage");
  expect(await stagedCheck({ cwd, env })).toMatchObject({ status: "ok" });
  expect(await stagedCheck({ cwd, env: { ...env, SIGNALBOX_AGENT: "claude" } })).toMatchObject({
    status: "fail",
    summary: "nothing is staged for the active agent claude, only for copilot",
  });
});

async function stagedCheck(place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Promise<unknown> {
  const { stdout } = await signalbox(["doctor", "--json"], place);
  const { checks }: { checks: { id: string }[] } = JSON.parse(stdout);
  return checks.find(({ id }) => id === "hooks.staged");
}

test("taking one agent out leaves the others in place", async () => {
  const { cwd, run, status } = repository({});
  await run("stage", "claude", "codex");
  expect((await run("unstage", "codex")).code).toBe(0);
  expect([existsSync(join(cwd, ".codex")), existsSync(join(cwd, ".claude/hooks/signalbox"))]).toEqual([false, true]);
  expect((await run("stage", "--check")).code).toBe(0);
  await run("unstage");
  expect(status()).toBe("");
});

test("a copy of a staged repository elsewhere works as well", async () => {
  const { cwd, env, run } = repository({});
  await run("stage", "copilot");
  const copy = join(tempFolder(), "copy");
  cpSync(cwd, copy, { recursive: true });
  expect(callWrapper({ cwd: copy, env })).toEqual([0, "{}\n", ""]);
});

test("a launch brings up to date what is staged, and nothing else", async () => {
  const { cwd, env, run, read, write, status } = repository({});
  const home = join(env["HOME"] ?? "", ".signalbox");
  expect([await refreshStaged(cwd, home, env), status()]).toEqual([[], ""]);
  await run("stage", "copilot");
  expect(await refreshStaged(cwd, home, env)).toEqual(
    // The entry and the wrappers of the bundle and of the sources differ in nothing that is committed.
    [],
  );
  write(".signalbox/hooks/tool-before-new", "#!/bin/sh\necho '{}'\n");
  expect(await refreshStaged(cwd, home, env)).toEqual(["updated staged files: .github/hooks/pre-tool-use"]);
  expect(read(".github/hooks/pre-tool-use")).toContain("'.signalbox/hooks/tool-before-new'");
});

test("a clone in which the list of staged files was not committed can be staged and unstaged all the same", async () => {
  const { cwd, run, read, write } = repository({ "AGENTS.md": "words\n", ".claude/settings.json": '{"model": "x"}\n' });
  write(".signalbox/agents/reviewer.md", "Review.\n");
  await run("stage");
  const staged = snapshot(cwd);
  rmSync(join(cwd, ".signalbox/staged.json"));
  const { code, stdout } = await run("stage");
  expect([code, stdout.split("\n")[0]]).toEqual([0, "Already staged; nothing was written."]);
  expect(Object.keys(snapshot(cwd))).toEqual(Object.keys(staged));
  expect((await run("unstage")).code).toBe(0);
  // Copies of agents carry no sign of ours, so they stay.
  expect(Object.keys(snapshot(cwd)).filter((path) => path.includes("signalbox") || path.startsWith(".codex"))).toEqual([
    ".codex",
    ".codex/agents",
    ".codex/hooks",
    ".signalbox",
    ".signalbox/agents",
    ".signalbox/agents/reviewer.md",
  ]);
  expect([read("AGENTS.md"), JSON.parse(read(".claude/settings.json"))]).toEqual(["words\n", { model: "x" }]);
});

test("the registered commands work from any folder with a nasty name, and refuse when the wrapper is gone", async () => {
  const { cwd, env, run, read } = repository({});
  await run("stage", "claude", "codex");
  const command = (path: string): string => JSON.parse(read(path)).hooks.PreToolUse[0].hooks[0].command;
  const below = join(cwd, "be low/it's");
  mkdirSync(below, { recursive: true });
  const input = JSON.stringify({ session_id: "s", cwd: below, tool_name: "Bash", tool_input: { command: "pwd" } });
  const start = (shell: string, path: string) => {
    const options = { cwd: below, env: { ...env, CLAUDE_PROJECT_DIR: cwd }, input, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(shell, ["-c", command(path)], options);
    return [status, stdout, stderr];
  };
  expect(start("/bin/sh", ".claude/settings.json")).toEqual([0, "{}\n", ""]);
  expect(start("/bin/bash", ".codex/hooks.json")).toEqual([0, "{}\n", ""]);
  rmSync(join(cwd, ".claude/hooks"), { recursive: true });
  rmSync(join(cwd, ".codex/hooks"), { recursive: true });
  const refused = [2, "", expect.stringContaining("signalbox: the staged hook failed, so this may not happen")];
  expect(start("/bin/sh", ".claude/settings.json")).toEqual(refused);
  expect(start("/bin/bash", ".codex/hooks.json")).toEqual(refused);
});
