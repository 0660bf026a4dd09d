import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isOnPath } from "./support/is-on-path.ts";
import { PROJECT } from "./support/run-signalbox.ts";
import { FILES, repository, snapshot } from "./support/staged-repository.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("what the user edited stays when it is taken back, and what he changed in our part is named and left", async () => {
  const { cwd, run, read, write } = repository();
  await run("stage");
  write("AGENTS.md", `${read("AGENTS.md")}\r\nHis last word.\r\n`);
  const settings: { hooks: Record<string, unknown[]> } = JSON.parse(read(".codex/hooks.json"));
  settings.hooks["PreToolUse"]?.push({ hooks: [{ type: "command", command: "his second" }] });
  write(".codex/hooks.json", JSON.stringify(settings, null, 4));
  write(".github/hooks/post-tool-use", "#!/bin/sh\n# his now\n");
  write("CLAUDE.md", read("CLAUDE.md").replace("is denied", "is denied (he says)"));
  rmSync(join(cwd, ".mcp.json"));
  const { code, stderr } = await run("unstage");
  expect([code, stderr.split("\n").toSorted()]).toEqual([
    1,
    [
      "",
      "signalbox: left unchanged: .github/hooks/post-tool-use: it was edited since it was staged",
      "signalbox: left unchanged: CLAUDE.md: our part of it was edited; remove it by hand",
    ],
  ]);
  expect(read("AGENTS.md")).toBe(`${FILES["AGENTS.md"]}\r\n\r\nHis last word.\r\n`);
  const his = (command: string) => ({ hooks: [{ type: "command", command }] });
  expect(JSON.parse(read(".codex/hooks.json"))).toEqual({ hooks: { PreToolUse: [his("true"), his("his second")] } });
  expect(read(".github/hooks/post-tool-use")).toBe("#!/bin/sh\n# his now\n");
  expect(read("CLAUDE.md")).toContain("(he says)");
  expect([existsSync(join(cwd, ".mcp.json")), existsSync(join(cwd, ".signalbox/staged.json"))]).toEqual([false, false]);
});

test("files that cannot take ours are named and kept as they are; the rest is staged", async () => {
  const { cwd, run, read, write } = repository({ ...FILES, ".claude/agents/reviewer.md": "his reviewer\n" });
  const outside = join(tempFolder(), "shared.md");
  writeFileSync(outside, "shared\n");
  rmSync(join(cwd, "CLAUDE.md"));
  symlinkSync(outside, join(cwd, "CLAUDE.md"));
  write(".claude/settings.json", '{"hooks": {');
  write(".mcp.json", '{"mcpServers": {"demo": {"command": "his"}}}');
  execFileSync("chmod", ["444", "AGENTS.md"], { cwd });
  rmSync(join(cwd, ".codex"), { recursive: true });
  write(".codex", "a file\n");
  const before = snapshot(cwd);
  const { code, stderr } = await run("stage");
  const lines = stderr.trimEnd().split("\n");
  expect([code, new Set(lines)]).toEqual([
    1,
    new Set([
      "signalbox: not staged: .claude/settings.json: it is not valid JSON (line 1: CloseBraceExpected)",
      "signalbox: not staged: .claude/agents/reviewer.md: it already exists and is not ours",
      "signalbox: not staged: AGENTS.md: it is read-only",
      "signalbox: not staged: .mcp.json: its mcpServers.demo is not ours",
      "signalbox: not staged: .codex/hooks/signalbox: .codex is not a folder",
      "signalbox: not staged: .codex/hooks.json: .codex is not a folder",
      "signalbox: not staged: .codex/agents/reviewer.toml: .codex is not a folder",
      "signalbox: not staged: .codex/config.toml: .codex is not a folder",
    ]),
  ]);
  expect(snapshot(cwd)).toMatchObject(before);
  expect(readFileSync(outside, "utf8")).toBe("shared\n");
  expect(read(".github/hooks/session-start")).toContain("signalbox");
  expect((await run("unstage")).code).toBe(0);
  expect(snapshot(cwd)).toEqual(before);
});

test("a link out of the repository is never written through", async () => {
  const { cwd, run } = repository({});
  const outside = tempFolder();
  for (const name of [".claude", ".github", ".codex", ".agents"]) symlinkSync(outside, join(cwd, name));
  writeFileSync(join(outside, "AGENTS.md"), "his\n");
  symlinkSync(join(outside, "AGENTS.md"), join(cwd, "AGENTS.md"));
  const { code, stderr } = await run("stage");
  expect(code).toBe(1);
  expect(stderr).toContain("AGENTS.md: AGENTS.md is a link out of the repository");
  expect(stderr).toContain(".claude/settings.json: .claude is a link out of the repository");
  expect(snapshot(outside)).toEqual({ "AGENTS.md": expect.stringContaining("his\n") });
});

test("a link inside the repository is followed, and stays a link", async () => {
  const { cwd, run, read, status } = repository({ "AGENTS.md": "words\n" });
  symlinkSync("AGENTS.md", join(cwd, "CLAUDE.md"));
  execFileSync("git", ["add", "-A"], { cwd });
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "link"], { cwd });
  expect((await run("stage")).code).toBe(0);
  expect(read("AGENTS.md").split("signalbox:start")).toHaveLength(2);
  expect((await run("unstage")).code).toBe(0);
  expect(status()).toBe("");
});

test("a link to a file of the project's own is followed too, and back", async () => {
  const { cwd, run, read, status } = repository({ "docs/agents.md": "words\n" });
  symlinkSync("docs/agents.md", join(cwd, "AGENTS.md"));
  symlinkSync("AGENTS.md", join(cwd, "CLAUDE.md"));
  const before = status();
  expect((await run("stage")).code).toBe(0);
  expect(read("docs/agents.md").split("signalbox:start")).toHaveLength(2);
  expect([(await run("stage", "--check")).code, (await run("stage")).stdout.split("\n")[0]]).toEqual([
    0,
    "Already staged; nothing was written.",
  ]);
  expect([(await run("unstage")).code, status()]).toEqual([0, before]);
});

test("a stage mends what was taken out by hand, and keeps what was put in", async () => {
  const { run, read, write } = repository({});
  await run("stage", "claude");
  const settings: { hooks: Record<string, unknown[]> } = JSON.parse(read(".claude/settings.json"));
  const { Stop: _, ...rest } = settings.hooks;
  const his = { hooks: [{ type: "command", command: "his" }] };
  write(".claude/settings.json", JSON.stringify({ model: "his", hooks: { ...rest, Stop: [his] } }));
  const check = await run("stage", "--check");
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringMatching(/^Claude Code, hook Stop: [^\n]+\nfix for claude/),
  ]);
  expect((await run("stage")).code).toBe(0);
  const mended: { hooks: Record<string, unknown[]> } = JSON.parse(read(".claude/settings.json"));
  expect([mended.hooks["Stop"]?.length, mended.hooks["PreToolUse"]?.length]).toEqual([2, 1]);
  expect((await run("unstage")).code).toBe(0);
  expect(JSON.parse(read(".claude/settings.json"))).toEqual({ model: "his", hooks: { Stop: [his] } });
});

test("in a repository that is read-only everything is named, and nothing changes", async () => {
  const { cwd, run, status } = repository({ "AGENTS.md": "words\n" });
  execFileSync("chmod", ["555", cwd]);
  onTestFinished(() => void execFileSync("chmod", ["755", cwd]));
  const { code, stderr } = await run("stage", "claude");
  expect([code, stderr.split("\n").filter((line) => line.includes("read-only")).length]).toEqual([1, 3]);
  expect(status()).toBe("");
});

test("four stages at once leave what one would", async () => {
  const { cwd, run, status } = repository();
  const agents = ["claude", "codex", "copilot", "copilot"];
  const outcomes = await Promise.all(agents.map((agent) => run("stage", agent)));
  expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(outcomes.map(() => [0, ""]));
  const wrappers = [".claude/hooks/signalbox", ".codex/hooks/signalbox", ".github/hooks/session-start"];
  expect(wrappers.map((path) => existsSync(join(cwd, path)))).toEqual([true, true, true]);
  expect((await run("stage", "--check")).stdout).toBe("Everything is staged and up to date.\n");
  const after = snapshot(cwd);
  await run("stage");
  expect(snapshot(cwd)).toEqual(after);
  await run("unstage");
  expect(status()).toBe("");
});

test("a stage that was killed half-way is taken back too", async () => {
  const { cwd, run, status } = repository();
  await run("stage");
  for (const path of [".codex", ".agents", ".github/hooks/session-stop"]) rmSync(join(cwd, path), { recursive: true });
  execFileSync("git", ["checkout", "-q", ".codex", ".claude/settings.json"], { cwd });
  expect((await run("unstage")).code).toBe(0);
  expect(status()).toBe("");
});

test.each([
  '{"disableAllHooks": true}\n',
  '{// mine\n"disable_all_hooks": /* on */ true}\n',
  '{"disableAllHooks":false,"DisableAllHooks":true}\n',
])("settings that switch hooks off are named: %j", async (text) => {
  const { run, read } = repository({ ".claude/settings.json": text });
  const { code, stderr } = await run("stage", "claude");
  expect([code, stderr]).toEqual([
    1,
    "signalbox: not staged: .claude/settings.json: its disableAllHooks disables every hook\n",
  ]);
  expect(read(".claude/settings.json")).toContain(text.slice(0, -2));
});

test.each([
  ["a path out of the repository", { path: "../victim" }],
  ["a path of the project's own", { path: "src/main.c" }],
  ["git's own folder", { path: ".git/config" }],
])("a list of staged files that names %s is refused", async (_, { path }) => {
  const { run, write, read } = repository({ "src/main.c": "int main;\n" });
  const file = { path, before: null, after: "", additions: null };
  write(
    ".signalbox/staged.json",
    JSON.stringify({ version: 1, about: "", agents: [], required: false, folders: [], files: [file] }),
  );
  const { code, stderr } = await run("unstage");
  expect([code, stderr]).toEqual([2, expect.stringContaining("the list of staged files is corrupt")]);
  expect(read("src/main.c")).toBe("int main;\n");
});

const ENTRIES = ["pre_tool_use.py", "pre_tool_use_rust.py"].map((name) => `.claude/tools/xpia/hooks/${name}`);

test.skipIf(!isOnPath("python3"))(
  "stage --xpia places the historical entry points, they answer, and they are taken back to the byte",
  async () => {
    const { cwd, env, run } = repository();
    const before = snapshot(cwd);
    const { stdout } = await run("stage", "--xpia", "--json");
    const { written, notStaged }: { written: string[]; notStaged: string[] } = JSON.parse(stdout);
    expect([written.filter((path) => path.includes("xpia")), notStaged]).toEqual([ENTRIES, []]);
    const placed = snapshot(cwd);
    // They are no hooks of the repository, so nothing has to remember them.
    expect([(await run("stage")).stdout.split("\n")[0], (await run("stage", "--check")).code]).toEqual([
      "Already staged; nothing was written.",
      0,
    ]);
    expect(snapshot(cwd)).toEqual(placed);
    const answers = ENTRIES.map((path) => {
      const input = JSON.stringify({ tool_name: "Bash", tool_input: { command: "sudo rm -rf /" }, cwd });
      const PATH = `${join(PROJECT, "bin")}:${env["PATH"] ?? ""}`;
      const answer: unknown = JSON.parse(
        spawnSync(join(cwd, path), { cwd, env: { ...env, PATH }, input, encoding: "utf8" }).stdout,
      );
      return answer;
    });
    const denied = { permissionDecision: "deny", permissionDecisionReason: expect.stringContaining("sudo") };
    expect(answers).toMatchObject([denied, denied]);
    rmSync(join(cwd, ENTRIES[0] ?? ""));
    const check = await run("stage", "--check");
    expect([check.code, check.stdout]).toEqual([1, expect.stringContaining(`${ENTRIES[0]}: it is missing or stale`)]);
    expect([(await run("stage", "--no-xpia")).code, existsSync(join(cwd, ".claude/tools"))]).toEqual([0, false]);
    await run("stage", "--xpia");
    expect([(await run("unstage")).code, snapshot(cwd)]).toEqual([0, before]);
  },
);

test("an entry point of somebody else's in that place stays as it is", async () => {
  const { run, read } = repository({ ...FILES, [ENTRIES[0] ?? ""]: "#!/usr/bin/env python3\n# theirs\n" });
  const { code, stderr } = await run("stage", "--xpia");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`not staged: ${ENTRIES[0]}: it already exists and is not ours`),
  ]);
  expect(read(ENTRIES[0] ?? "")).toContain("# theirs");
});
