import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Outcome, signalbox } from "./run-signalbox.ts";
import { tempFolder } from "./temp-folder.ts";

const SETTINGS = `{
  // What this project does not want.
  "permissions": { "deny": ["Read(./.env)"] }, /* both
  kinds of comments */
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./lint.sh" }] } // ours since 2024
    ],
    "Stop": [],
  },
}
`;

/** What a project may have before signalbox comes: hooks, comments, settings, odd line ends. */
const FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json": SETTINGS,
  ".claude/agents/mine.md": "---\nname: mine\ndescription: his\n---\nOld words.\n",
  ".codex/hooks.json": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}',
  ".codex/config.toml": 'model = "x"\n',
  ".github/hooks/other.json": '{"version":1,"hooks":{}}',
  ".github/hooks/pre-tool-use": "#!/bin/sh\n# amplihack's own\necho '{}'\n",
  ".mcp.json": '{\r\n\t"mcpServers": {}\r\n}\r\n',
  "AGENTS.md": "# Agents\r\n\r\nNo line feed at the end",
  "CLAUDE.md": "# Claude\n",
  ".signalbox/agents/reviewer.md":
    '---\nname: reviewer\ndescription: "Reviews: all"\n---\nSay """what""" is \\ wrong.\n',
  ".signalbox/commands/fix.md": "Fix $ARGUMENTS\n",
  ".signalbox/skills/notes/SKILL.md": "---\nname: notes\ndescription: d\n---\n",
  ".signalbox/skills/notes/bin/run": "#!/bin/sh\n",
  ".signalbox/hooks/tool-before-lint": "#!/bin/sh\necho '{}'\n",
  ".signalbox/instructions.md": "Be kind.\n",
  ".signalbox/mcp.json": '{"mcpServers":{"demo":{"command":"demo","args":["a b"],"env":{"K":"v"}}}}',
  ".signalbox/policy.yaml": "version: 1\nextends: default\n",
};

interface Repository {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly run: (...args: string[]) => Promise<Outcome>;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  readonly status: () => string;
}

/** A committed repository in a folder with a nasty name. */
function repository(files: Readonly<Record<string, string>> = FILES): Repository {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox test\'s "x"\n$(id)-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const env = { HOME: tempFolder(), PATH: process.env["PATH"] };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd, encoding: "utf8" });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  };
  git("init", "-q", "-b", "main");
  git("config", "core.autocrlf", "false");
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "before");
  return {
    cwd,
    env,
    write,
    run: (...args) => signalbox(args, { cwd, env }),
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    status: () => git("status", "--porcelain", "--ignored"),
  };
}

/** Every file with its content and mode, and every folder. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(".git/"));
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const stat = statSync(join(folder, name));
      const content = stat.isFile() ? readFileSync(join(folder, name), "latin1") : "folder";
      return [name, `${(stat.mode & 0o777).toString(8)} ${content}`];
    }),
  );
}

test("stage, stage again, unstage: everything is there, then nothing is written, then every byte is as before", async () => {
  const { cwd, run, read, status } = repository();
  const before = snapshot(cwd);
  const staged = await run("stage");
  expect([staged.code, staged.stderr]).toEqual([0, ""]);
  expect(staged.stdout).toContain("Codex passes over hooks that it does not trust");
  for (const comment of [
    "// What this project does not want.",
    "/* both\n  kinds of comments */",
    "// ours since 2024",
  ])
    expect(read(".claude/settings.json")).toContain(comment);
  const after = snapshot(cwd);
  const again = await run("stage");
  expect([again.code, again.stdout.split("\n")[0]]).toEqual([0, "Everything is staged already; nothing was written."]);
  expect(snapshot(cwd)).toEqual(after);
  expect((await run("stage", "--check")).code).toBe(0);

  const back = await run("unstage");
  expect([back.code, back.stderr]).toEqual([0, ""]);
  expect(snapshot(cwd)).toEqual(before);
  expect(status()).toBe("");
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
    '---\nname: fix\ndescription: "Fix $ARGUMENTS"\n---\n\nFix $ARGUMENTS\n',
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
      "signalbox: left as it is: .github/hooks/post-tool-use: it was changed by hand since it was staged",
      "signalbox: left as it is: CLAUDE.md: our part of it was changed by hand; take it out yourself",
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
      "signalbox: not staged: .claude/agents/reviewer.md: it is there already and is not ours",
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
  expect(stderr).toContain("AGENTS.md: AGENTS.md is a link that leads out of the repository");
  expect(stderr).toContain(".claude/settings.json: .claude is a link that leads out of the repository");
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
  expect((await run("stage", "--check")).stdout).toBe("Everything is staged as it should be.\n");
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
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringContaining("the entry of this machine is missing or stale"),
  ]);

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
  expect(snapshot(clone)).toEqual({ ".git": expect.any(String), "AGENTS.md": "644 words\n" });
  expect(env["HOME"]).not.toBe(home);
});

function callWrapper({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}): [number | null, string, string] {
  const input = JSON.stringify({ sessionId: "s", cwd, toolName: "bash", toolArgs: { command: "pwd" } });
  const { status, stdout, stderr } = spawnSync(".github/hooks/pre-tool-use", { cwd, env, input, encoding: "utf8" });
  return [status, stdout, stderr];
}

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

test("settings that switch hooks off are named", async () => {
  const { run, read } = repository({ ".claude/settings.json": '{"disableAllHooks": true}\n' });
  const { code, stderr } = await run("stage", "claude");
  expect([code, stderr]).toEqual([
    1,
    "signalbox: not staged: .claude/settings.json: its disableAllHooks switches every hook off\n",
  ]);
  expect(read(".claude/settings.json")).toContain("disableAllHooks");
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
  expect([code, stderr]).toEqual([2, expect.stringContaining("the list of staged files is damaged")]);
  expect(read("src/main.c")).toBe("int main;\n");
});

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
