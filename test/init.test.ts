import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

function repository(files: Readonly<Record<string, string>>) {
  const cwd = tempRepository();
  const env = { HOME: tempFolder(), PATH: process.env["PATH"] };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
    if (text.startsWith("#!")) chmodSync(join(cwd, path), 0o755);
  }
  return {
    cwd,
    env,
    run: (...args: string[]) => signalbox(args, { cwd, env }),
    read: (path: string) => readFileSync(join(cwd, path), "utf8"),
    has: (path: string) => existsSync(join(cwd, path)),
  };
}

const FILES = {
  "CLAUDE.md": "# mine\n",
  ".claude/agents/reviewer.md": "---\nname: reviewer\n---\nReview.\n",
  ".github/agents/reviewer.agent.md": "another reviewer\n",
  ".github/agents/planner.agent.md": "Plan.\n",
  ".claude/commands/fix.md": "Fix it.\n",
  ".agents/skills/notes/SKILL.md": "---\nname: notes\n---\n",
  ".agents/skills/notes/bin/run": "#!/bin/sh\n",
};

test("init that nobody answers shows everything, writes nothing and exits 3", async () => {
  const { run, has } = repository(FILES);
  const { code, stdout, stderr } = await run("init");
  expect([code, has(".signalbox")]).toEqual([3, false]);
  expect(stdout).toContain("+++ .signalbox/policy.yaml\n");
  expect(stdout).toContain("+ extends: default\n");
  expect(stdout).toContain("+++ .signalbox/agents/planner.md  (a copy of .github/agents/planner.agent.md)");
  expect(stdout).toContain("CLAUDE.md is left unchanged");
  expect(stderr).toContain("signalbox init --yes");
});

test("init makes a policy that counts at once, copies what agents have, and changes nothing that is there", async () => {
  const { cwd, run, read, has } = repository(FILES);
  const { code, stderr } = await run("init", "--yes");
  expect([code, stderr]).toEqual([
    0,
    "signalbox: not imported: .github/agents/reviewer.agent.md: .claude/agents/reviewer.md has the same name but different content; that one is used\n",
  ]);
  expect(read(".signalbox/agents/reviewer.md")).toBe(FILES[".claude/agents/reviewer.md"]);
  expect(read(".signalbox/agents/planner.md")).toBe("Plan.\n");
  expect(read(".signalbox/commands/fix.md")).toBe("Fix it.\n");
  expect(execFileSync(join(cwd, ".signalbox/skills/notes/bin/run")).toString()).toBe("");
  expect([has(".signalbox/hooks"), has(".signalbox/README.md")]).toEqual([true, true]);
  for (const [path, text] of Object.entries(FILES)) expect(read(path)).toBe(text);
  expect((await run("trust")).stdout).toContain(`${cwd}/.signalbox/policy.yaml is already trusted\n`);
  expect((await run("init")).stdout).toBe(".signalbox/ already exists; nothing was written.\n");

  // What was copied belongs to its author: stage leaves it, and gives it to the others.
  const { stdout } = await run("stage", "--json");
  const { written, notStaged }: { written: string[]; notStaged: string[] } = JSON.parse(stdout);
  expect(notStaged).toEqual([".github/agents/reviewer.agent.md: it already exists and is not ours"]);
  expect([written.includes(".claude/agents/reviewer.md"), written.includes(".codex/agents/reviewer.toml")]).toEqual([
    false,
    true,
  ]);
});

test("init walks sub-folders, takes no README for an agent, and makes only files that stage accepts", async () => {
  const agent = (body: string) => `---\nname: x\ndescription: Does it: well\ntools: Read\n---\n${body}\n`;
  const { cwd, run, has } = repository({
    ".claude/agents/README.md": "# About the agents\n",
    ".claude/agents/core/builder.md": agent("Build."),
    ".claude/agents/core/deep/tester.md": agent("Test."),
    ".claude/agents/other/builder.md": agent("Build otherwise."),
    ".claude/agents/notes.md": "Just notes.\n",
    ".claude/agents/broken.md": "---\n: [\n---\nx\n",
    ".claude/agents/bad name.md": agent("x"),
    ".claude/commands/ddd/1-plan.md": "Plan $ARGUMENTS\n",
    ".claude/commands/2-plan.md": "Plan more\n",
    ".claude/skills/common/helper.txt": "no skill\n",
    ".claude/skills/real/SKILL.md": "---\nname: real\ndescription: d\n---\nRun !`git status`\n",
    ".github/agents/viewer.agent.md": '---\ndescription: d\ntools: ["view", "bash"]\n---\nLook.\n',
  });
  symlinkSync(tempFolder(), join(cwd, ".claude/agents/linked"));
  const { code, stderr } = await run("init", "--yes");
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((line) => line.replace("signalbox: not imported: ", ""));
  expect([code, lines.toSorted()]).toEqual([
    0,
    [
      ".claude/agents/bad name.md: its name is not a simple one",
      ".claude/agents/broken.md: its front matter is not valid YAML",
      ".claude/agents/notes.md: it has no name or description between lines of ---, so it is not an agent",
      ".claude/agents/other/builder.md: .claude/agents/core/builder.md has the same name but different content; that one is used",
      ".claude/skills/common: it contains no SKILL.md, so it is not a skill",
    ],
  ]);
  const made = ["agents/core/builder.md", "agents/core/deep/tester.md", "agents/viewer.md", "commands/ddd/1-plan.md"];
  expect([...made, "agents/README.md", "skills/common"].map((path) => has(`.signalbox/${path}`))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);

  const staged = await run("stage", "--json");
  const result: { written: string[]; notStaged: string[]; notes: string[] } = JSON.parse(staged.stdout);
  expect([staged.code, result.notStaged]).toEqual([0, []]);
  const read = (path: string) => readFileSync(join(cwd, path), "utf8");
  expect(read(".claude/agents/viewer.md")).toContain("tools:\n  - Read\n  - Bash\n");
  expect(read(".github/agents/builder.agent.md")).toContain("tools:\n  - view\n");
  expect(read(".agents/skills/ddd-1-plan/SKILL.md")).toContain("`$ARGUMENTS` stands for what the user wrote");
  expect(read(".agents/skills/real/SKILL.md")).toContain("run each command that is marked as !`command`");
  expect([has(".codex/agents/viewer.toml"), has(".codex/agents/builder.toml")]).toEqual([true, false]);
  expect(result.notes).toEqual([
    "agent builder is not staged for Codex CLI: it may only use Read, and Codex CLI cannot limit an agent's tools",
    "agent tester is not staged for Codex CLI: it may only use Read, and Codex CLI cannot limit an agent's tools",
  ]);
  expect((await run("stage", "--check")).code).toBe(0);
});

test("init does not write through a link, and says so", async () => {
  const { cwd, run } = repository({});
  const outside = tempFolder();
  symlinkSync(outside, join(cwd, ".signalbox"));
  const { code, stderr } = await run("init", "--yes");
  expect([code, stderr]).toEqual([1, expect.stringContaining("a link out of the repository")]);
  expect(execFileSync("ls", ["-A", outside]).toString()).toBe("");
});

test("init in a home folder is refused", async () => {
  const home = tempFolder();
  const { code, stderr } = await signalbox(["init", "--yes"], { cwd: home, env: { HOME: home } });
  expect([code, stderr]).toEqual([3, expect.stringContaining("is not a workspace")]);
});

test("the hooks of a repository are shown, trusted by content, listed and revoked", async () => {
  const hook = "#!/bin/sh\n# ünïcode\necho '{}'\n";
  const { cwd, run } = repository({ ".signalbox/hooks/tool-before": hook, ".signalbox/hooks/notes.txt": "no hook\n" });
  const path = `${cwd}/.signalbox/hooks/tool-before`;
  const shown = await run("trust");
  expect([shown.code, shown.stdout]).toEqual([
    3,
    expect.stringContaining(`--- ${path} (a hook that runs on tool-before)\n+ #!/bin/sh\n+ # ünïcode`),
  ]);
  expect((await run("trust", "--yes")).code).toBe(0);
  expect((await run("trust")).stdout).toBe(`${path} is already trusted\n`);
  expect((await run("trust", "--list")).stdout).toMatch(/tool-before {2}since \S+ {2}unchanged\n$/);

  writeFileSync(path, `${hook}# more\n`);
  expect((await run("trust", "--list")).stdout).toContain("changed or missing: no longer trusted");
  const changed = await run("trust");
  expect([changed.code, changed.stdout]).toEqual([3, expect.stringContaining("  echo '{}'\n+ # more")]);
  await run("trust", "--yes");
  expect((await run("trust", "--revoke")).stdout).toContain(`${path} is no longer trusted\n`);
  expect((await run("trust", "--list")).stdout).toBe("");
});

test("settings that may start programs are trusted too, and a stage keeps that trust without giving any", async () => {
  const { cwd, run, read } = repository({ ".claude/settings.json": '{"hooks": {}}\n', ".mcp.json": "{}\n" });
  const isTrusted = async () => (await run("trust")).stdout.includes(`${cwd}/.claude/settings.json is already trusted`);
  await run("stage", "claude");
  expect(await isTrusted()).toBe(false);
  await run("unstage");
  expect((await run("trust", "--yes")).stdout).toContain("a file that lets an agent start programs");
  await run("stage", "claude");
  expect([await isTrusted(), read(".claude/settings.json").includes("signalbox")]).toEqual([true, true]);
  await run("unstage");
  expect([await isTrusted(), read(".claude/settings.json")]).toEqual([true, '{"hooks": {}}\n']);
});
