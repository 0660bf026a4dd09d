import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONTEXT_FILE } from "../src/agents/active-agent.ts";
import { LauncherContext } from "../src/contract/agent.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

test.each(["claude", "copilot", "codex", "amplifier"])(
  "after a launch of %s its repository remembers it without any environment",
  async (agent) => {
    const { env, home, recorded } = standInAgent(agent);
    const cwd = tempRepository();
    const outcome = await signalbox([agent, "--", "--version"], { cwd, env });
    expect(outcome).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(recorded()?.argv).toEqual(["--version"]);

    mkdirSync(join(cwd, "deep/er"), { recursive: true });
    const bare = { PATH: "/usr/bin:/bin", HOME: home };
    const asked = await signalbox(["agent", "--json"], { cwd: join(cwd, "deep/er"), env: bare });
    expect(JSON.parse(asked.stdout)).toEqual({ agent, source: "file", warnings: [] });
    expect(execFileSync("git", ["status", "--porcelain", "-uall"], { cwd, encoding: "utf8" })).toBe("");
  },
);

test("the context file is private, valid, and holds nothing of the prompt", async () => {
  const { env } = standInAgent("claude");
  const cwd = tempRepository();
  await signalbox(["claude", "-p", "a secret task", "--", "--model", "m"], { cwd, env });
  const path = join(cwd, CONTEXT_FILE);
  const text = readFileSync(path, "utf8");
  expect(LauncherContext.parse(JSON.parse(text))).toMatchObject({ launcher: "claude", command: "signalbox claude" });
  expect(text).not.toContain("secret");
  expect(execFileSync("stat", ["-c", "%a", path], { encoding: "utf8" })).toBe("600\n");
  expect(readdirSync(join(cwd, ".claude/runtime"))).toEqual(["launcher_context.json"]);
});

test("fifty launches of four agents at once leave one whole valid file and one exclude line", async () => {
  const { env, folder } = standInAgent("codex");
  const names = ["codex", "claude", "copilot", "amplifier"];
  for (const name of names.slice(1)) copyFileSync(join(folder, "codex"), join(folder, name));
  const cwd = tempRepository();
  const starts = Array.from({ length: 50 }, (_, index) =>
    signalbox([names[index % 4] ?? "", "--", "--version"], { cwd, env }),
  );
  const outcomes = await Promise.all(starts);
  expect(outcomes.map((outcome) => outcome.code)).toEqual(Array.from({ length: 50 }, () => 0));
  expect(outcomes.filter((outcome) => outcome.stderr !== "")).toEqual([]);
  expect(LauncherContext.safeParse(JSON.parse(readFileSync(join(cwd, CONTEXT_FILE), "utf8"))).success).toBe(true);
  expect(readdirSync(join(cwd, ".claude/runtime"))).toEqual(["launcher_context.json"]);
  const lines = readFileSync(join(cwd, ".git/info/exclude"), "utf8").split("\n");
  expect(lines.filter((line) => line.includes("launcher_context"))).toEqual([
    "/.claude/runtime/launcher_context.json*",
  ]);
}, 60_000);

test("a work tree's own top gets the file, and the main repository's exclude keeps it out of git status", async () => {
  const { env } = standInAgent("claude");
  const main = tempRepository();
  const tree = join(tempFolder(), "tree");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", main, "-c", "user.name=t", "-c", "user.email=t@t", ...args]);
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", tree);
  await signalbox(["claude", "--", "--version"], { cwd: tree, env });
  expect(existsSync(join(tree, CONTEXT_FILE))).toBe(true);
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: tree, encoding: "utf8" })).toBe("");
});

test("a .claude that links out of the repository is not written through, and the launch goes on", async () => {
  const { env, recorded } = standInAgent("claude");
  const [cwd, outside] = [tempRepository(), tempFolder()];
  symlinkSync(outside, join(cwd, ".claude"));
  const outcome = await signalbox(["claude", "--", "--version"], { cwd, env });
  expect(outcome.code).toBe(0);
  expect(outcome.stderr).toContain("is a link out of the repository, so the active agent is not recorded");
  expect(recorded()?.argv).toEqual(["--version"]);
  expect(readdirSync(outside)).toEqual([]);
});

test("a .git that points at a folder which is no repository is not written to", async () => {
  const { env } = standInAgent("claude");
  const [cwd, victim] = [tempFolder(), tempFolder()];
  writeFileSync(join(cwd, ".git"), `gitdir: ${victim}\n`);
  const outcome = await signalbox(["claude", "--", "--version"], { cwd, env });
  expect(outcome.code).toBe(0);
  expect(readdirSync(victim)).toEqual([]);
});

test("the child's environment has both agent variables and nothing that loads code, marks a session or logs in elsewhere", async () => {
  const { env, recorded } = standInAgent("claude");
  const dirty = {
    NODE_OPTIONS: "--max-old-space-size=100",
    BASH_ENV: "/dev/null",
    SHELLOPTS: "hashall",
    PS4: "$(true)",
    JAVA_TOOL_OPTIONS: "-Dharmless=1",
    CLAUDECODE: "1",
    GH_TOKEN: "t",
    GITHUB_TOKEN: "t",
    MY_SECRET: "t",
    SIGNALBOX_DROP_ENV: "OTHER, MY_SECRET",
    KEPT: "yes",
    PYTHONPATH: "/opt/people",
    ZDOTDIR: "/opt/people",
  };
  await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env: { ...env, ...dirty } });
  const seen = recorded()?.env ?? {};
  expect(Object.keys(dirty).filter((name) => name in seen)).toEqual([
    "SIGNALBOX_DROP_ENV",
    "KEPT",
    "PYTHONPATH",
    "ZDOTDIR",
  ]);
  expect([seen["SIGNALBOX_AGENT"], seen["AMPLIHACK_AGENT_BINARY"]]).toEqual(["claude", "claude"]);
  expect(seen["SIGNALBOX_RUN"]).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test.each([
  [{ GH_TOKEN: "t", GITHUB_TOKEN: "u" }, { GH_TOKEN: "t" }, ["--secret-env-vars=GH_TOKEN"]],
  [{ GITHUB_TOKEN: "u" }, { COPILOT_GITHUB_TOKEN: "u" }, ["--secret-env-vars=COPILOT_GITHUB_TOKEN"]],
  [{}, {}, []],
])("Copilot keeps the login %j as %j, and its tools are kept from it", async (login, kept, flags) => {
  const { env, recorded } = standInAgent("copilot");
  const outcome = await signalbox(["copilot", "--", "--version"], { cwd: tempRepository(), env: { ...env, ...login } });
  expect(outcome.code).toBe(0);
  const seen = Object.entries(recorded()?.env ?? {}).filter(([name]) => name.endsWith("_TOKEN"));
  expect([recorded()?.argv, Object.fromEntries(seen)]).toEqual([[...flags, "--version"], kept]);
});

test.each([0, 1, 42, 255])("the agent's exit code %d is ours", async (code) => {
  const { env } = standInAgent("claude");
  const outcome = await signalbox(["claude", "--", "--version"], {
    cwd: tempRepository(),
    env: { ...env, AGENT_EXIT: String(code) },
  });
  expect(outcome.code).toBe(code);
});

test("an agent killed by a signal gives 128+n", async () => {
  const { env } = standInAgent("claude", "kill -KILL $$");
  expect((await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env })).code).toBe(137);
});

test("a missing agent exits 127 and says what to do", async () => {
  const env = { PATH: "/usr/bin:/bin", HOME: tempFolder() };
  const outcome = await signalbox(["codex", "--", "--version"], { cwd: tempRepository(), env });
  expect(outcome).toEqual({
    code: 127,
    stdout: "",
    stderr:
      "signalbox: Codex CLI is not installed: no 'codex' was found\n" +
      "  where: SIGNALBOX_CODEX_BINARY (not set), PATH (2 folders), ~/.local/bin, ~/.npm-global/bin, /usr/local/bin, /opt/homebrew/bin\n" +
      "  fix: npm install -g @openai/codex; or set SIGNALBOX_CODEX_BINARY to its path\n",
  });
});

test("a program that cannot be started exits 126 and names the reason", async () => {
  const { env, folder } = standInAgent("claude");
  writeFileSync(join(folder, "claude"), "#!/nonexistent/interpreter\n");
  const noInterpreter = await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env });
  expect([noInterpreter.code, noInterpreter.stderr]).toEqual([
    126,
    expect.stringContaining("interpreter, or the folder to start in, does not exist"),
  ]);
  chmodSync(join(folder, "claude"), 0o777);
  const loose = await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env });
  expect([loose.code, loose.stderr]).toEqual([126, expect.stringContaining("anyone on this machine can change")]);
});

test("--require-proof refuses, because nothing is proven yet", async () => {
  const { env, recorded } = standInAgent("amplifier");
  const outcome = await signalbox(["amplifier", "--require-proof", "-p", "x"], { cwd: tempRepository(), env });
  expect([outcome.code, recorded()]).toEqual([3, undefined]);
  expect(outcome.stderr).toContain("it has no hook that can block a tool call");
});

test("a home folder that is missing or cannot be written does not stop a launch", async () => {
  const { env, recorded } = standInAgent("claude");
  const outcome = await signalbox(["claude", "--", "--version"], {
    cwd: tempRepository(),
    env: { ...env, HOME: "/dev/null/home" },
  });
  expect([outcome.code, recorded()?.argv]).toEqual([0, ["--version"]]);
});

test("an exclude file in another encoding keeps its bytes, and one that is a link is left alone with a warning", async () => {
  const { env } = standInAgent("claude");
  const [latin, linked] = [tempRepository(), tempRepository()];
  const old = Buffer.from("caf\u00e9*.txt", "latin1");
  writeFileSync(join(latin, ".git/info/exclude"), old);
  await signalbox(["claude", "--", "--version"], { cwd: latin, env });
  expect(readFileSync(join(latin, ".git/info/exclude"), "latin1")).toBe(
    "caf\u00e9*.txt\n/.claude/runtime/launcher_context.json*\n",
  );

  rmSync(join(linked, ".git/info/exclude"));
  symlinkSync("/dev/null", join(linked, ".git/info/exclude"));
  const outcome = await signalbox(["claude", "--", "--version"], { cwd: linked, env });
  expect(outcome.stderr).toContain("git status will show .claude/runtime/launcher_context.json");
  expect(existsSync(join(linked, CONTEXT_FILE))).toBe(true);
});

test("a FIFO among git's files does not hang a launch", async () => {
  const { env, recorded } = standInAgent("claude");
  const cwd = tempFolder();
  for (const folder of ["gd/objects", "gd/info"]) mkdirSync(join(cwd, folder), { recursive: true });
  writeFileSync(join(cwd, "gd/HEAD"), "ref");
  execFileSync("mkfifo", [join(cwd, "gd/commondir")]);
  writeFileSync(join(cwd, ".git"), "gitdir: gd\n");
  expect((await signalbox(["claude", "--", "--version"], { cwd, env })).code).toBe(0);
  expect(recorded()?.argv).toEqual(["--version"]);
});

test("what a person wants dropped does not come back under another name", async () => {
  const { env, recorded } = standInAgent("copilot");
  const dropping = { ...env, GITHUB_TOKEN: "t", SIGNALBOX_DROP_ENV: "GITHUB_TOKEN", "BASH_FUNC_ls%%": "() { evil; }" };
  await signalbox(["copilot", "--", "--version"], { cwd: tempRepository(), env: dropping });
  const names = Object.keys(recorded()?.env ?? {});
  expect(names.filter((name) => name.endsWith("_TOKEN") || name.startsWith("BASH_FUNC"))).toEqual([]);
  expect(recorded()?.argv).toEqual(["--version"]);
});

test("a folder for runs that cannot be made and a current folder that is gone are the person's to mend", async () => {
  const { env } = standInAgent("claude");
  const noFolder = await signalbox(["claude", "--", "--version"], {
    cwd: tempRepository(),
    env: { ...env, TMPDIR: "/nonexistent" },
  });
  expect([noFolder.code, noFolder.stderr]).toEqual([
    2,
    expect.stringContaining("fix: set TMPDIR to a folder you can write to"),
  ]);
  const gone = tempFolder();
  const script = `rmdir '${gone}'; exec '${SIGNALBOX}' claude -- --version`;
  const run = spawnSync("sh", ["-c", script], { cwd: gone, env: { ...process.env, ...env }, encoding: "utf8" });
  expect([run.status, run.stderr]).toEqual([2, expect.stringContaining("the current folder no longer exists")]);
});
