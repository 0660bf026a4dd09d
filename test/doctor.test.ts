import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "./support/platform.ts";
import { isAlive } from "./support/is-alive.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("doctor finds an agent, its version and hash, and exits 0", async () => {
  const { env, folder } = standInAgent("claude", "echo 9.8.7");
  const { code, stdout } = await signalbox(["doctor", "--json"], { cwd: tempFolder(), env });
  const report = JSON.parse(stdout);
  const check = (id: string) => report.checks.find((each: { id: string }) => each.id === id);
  expect([code, report.ok]).toEqual([0, true]);
  expect(report.checks.map((each: { id: string }) => each.id)).toEqual([
    "runtime",
    "git",
    "places.home",
    "places.runs",
    "active-agent",
    "policy",
    "sandbox",
    "hooks.staged",
    "audit",
    "elsewhere",
    "agent.claude",
    "agent.copilot",
    "agent.codex",
    "agent.gemini",
    "agent.amplifier",
    "proof.claude",
    "switches.claude",
    "proof.codex",
    "switches.codex",
    "proof.copilot",
    "switches.copilot",
    "proof.gemini",
    "switches.gemini",
    "agent.native",
    "recipe-runner",
  ]);
  expect([report.canStart, report.next[0]]).toEqual([
    ["claude"],
    { command: "signalbox claude", does: "under your rules" },
  ]);
  expect([check("agent.claude").status, check("agent.claude").facts.unprotected]).toEqual(["ok", expect.any(String)]);
  expect([check("proof.claude").status, check("proof.claude").fix]).toEqual(["warn", "run: signalbox prove claude"]);
  expect(check("agent.claude").facts).toMatchObject({
    path: join(folder, "claude"),
    version: "9.8.7",
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(check("runtime")).toMatchObject({ status: "ok" });
});

test("version and hash are remembered until the program changes", async () => {
  const { env, folder } = standInAgent("claude", 'echo "run" >>"$RECORD/runs"; echo 1.0');
  const cwd = tempFolder();
  const runs = async () => {
    await signalbox(["doctor"], { cwd, env });
    return readFileSync(join(env["RECORD"] ?? "", "runs"), "utf8").split("\n").length - 1;
  };
  expect([await runs(), await runs()]).toEqual([1, 1]);
  chmodSync(join(folder, "claude"), 0o700);
  expect(await runs()).toBe(2);
});

test("a program that anyone may change is a failure, exit code 1", async () => {
  const { env, folder } = standInAgent("codex");
  chmodSync(join(folder, "codex"), 0o777);
  const { code, stdout } = await signalbox(["doctor"], { cwd: tempFolder(), env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {3}agent\.codex .*anyone on this machine can change/m);
  expect(stdout).toContain("1 check failed.");
});

test("an agent that prints garbage, nothing, or hangs does not break the report", async () => {
  const { env } = standInAgent("claude", "printf '\\033[31mred\\007\\n'; exit 0");
  const { code, stdout } = await signalbox(["doctor"], { cwd: tempFolder(), env });
  expect(code).toBe(0);
  expect(stdout).not.toContain("\u001b");
  const silent = standInAgent("codex", "exit 3");
  expect((await signalbox(["doctor", "--verbose"], { cwd: tempFolder(), env: silent.env })).stdout).toContain(
    "unknown at ",
  );
});

test("the prompt-delivery block is the same on every machine and shows Amplifier's refusal", async () => {
  const { stdout } = await signalbox(["doctor", "--verbose"], {
    cwd: tempFolder(),
    env: { AMPLIHACK_PROMPT_DELIVERY: "tempfile", HOME: tempFolder() },
  });
  const block = stdout.slice(stdout.indexOf("Prompt delivery")).trimEnd();
  expect(block).toBe(
    [
      "Prompt delivery",
      "  requested: tempfile",
      "  auto threshold: 4096 bytes",
      "  claude",
      "    capabilities: argv, stdin",
      "    used for a long prompt: stdin",
      "    warning: requested tempfile is unsupported by claude; using stdin",
      "  copilot",
      "    capabilities: argv, stdin",
      "    used for a long prompt: stdin",
      "    warning: requested tempfile is unsupported by copilot; using stdin",
      "  codex",
      "    capabilities: argv, stdin",
      "    used for a long prompt: stdin",
      "    warning: requested tempfile is unsupported by codex; using stdin",
      "  gemini",
      "    capabilities: argv, stdin",
      "    used for a long prompt: stdin",
      "    warning: requested tempfile is unsupported by gemini; using stdin",
      "  amplifier",
      "    capabilities: argv",
      "    used for a long prompt: argv",
      "    warning: requested tempfile is unsupported by amplifier; using argv",
      "    a launch would fail: amplifier refuses tempfile delivery: Amplifier documents only `amplifier run [OPTIONS] [PROMPT]`, and no other channel has been verified; use auto or argv",
    ].join("\n"),
  );
});

test("a home that cannot be written is a warning, and nothing breaks", async () => {
  const { env } = standInAgent("claude", "echo 1.0");
  const { code, stdout } = await signalbox(["doctor"], { cwd: tempFolder(), env: { ...env, HOME: "/dev/null/home" } });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^warn {3}places\.home .*cannot be written \(ENOTDIR\): agents start, but every tool call is denied .*; run and native do not start$/m,
  );
});

test("a home that can be opened but not written to is a warning too", async () => {
  const home = tempFolder();
  const script = `ulimit -f 0; exec "${SIGNALBOX}" doctor`;
  const run = () =>
    execFileSync("sh", ["-c", script], { encoding: "utf8", cwd: home, env: { ...process.env, SIGNALBOX_HOME: home } });
  expect(run()).toMatch(/^warn {3}places\.home .*cannot be written \(EFBIG\): agents start, but /m);
});

test("a home that is a file is one warning, with all that follows from it", async () => {
  const home = join(tempFolder(), "home");
  writeFileSync(home, "");
  const { env } = standInAgent("claude", "echo 1.0");
  const { stdout } = await signalbox(["doctor"], { cwd: tempFolder(), env: { ...env, SIGNALBOX_HOME: home } });
  expect(stdout.match(/^(?:warn|fail) +(?:places|sandbox|audit|proof).*/gm)).toEqual([
    expect.stringMatching(/^warn {3}places\.home .*cannot be written \(ENOTDIR\)/),
  ]);
  expect(stdout).toMatch(/^Contained {6}no, because signalbox cannot write its files \(see places\.home\)$/m);
});

test("a broken cache is rebuilt", async () => {
  const { env, home } = standInAgent("claude", "echo 1.0");
  mkdirSync(join(home, ".signalbox/cache"), { recursive: true });
  for (const content of ["", "{", "[]", '{"x":1}', "\u0000".repeat(100)]) {
    writeFileSync(join(home, ".signalbox/cache/claude.json"), content);
    expect((await signalbox(["doctor"], { cwd: tempFolder(), env })).code).toBe(0);
  }
});

needs("setsid", "process marks")(
  "doctor asks an agent in the environment of a launch, and ends what it leaves running",
  async () => {
    const { env } = standInAgent(
      "claude",
      `env >"$RECORD/seen"; setsid sleep 300 & echo $! >"$RECORD/daemon"; echo 1.2.3`,
    );
    const report = await signalbox(["doctor"], {
      cwd: tempFolder(),
      env: { ...env, GITHUB_TOKEN: "secret-token", CLAUDECODE: "1" },
    });
    expect([report.code, report.stdout]).toEqual([0, expect.stringMatching(/^You can start  claude 1\.2\.3$/m)]);
    const seen = readFileSync(join(env["RECORD"] ?? "", "seen"), "utf8");
    expect(["secret-token", "CLAUDECODE"].filter((text) => seen.includes(text))).toEqual([]);
    expect(isAlive(Number(readFileSync(join(env["RECORD"] ?? "", "daemon"), "utf8")))).toBe(false);
  },
);

test("a broken policy and an edited log are failures", async () => {
  const { env, home } = standInAgent("claude", "echo 1.0");
  const cwd = tempFolder();
  mkdirSync(join(home, ".signalbox/audit"), { recursive: true });
  writeFileSync(join(home, ".signalbox/policy.yaml"), "version: 1\nnonsense: true\n");
  writeFileSync(join(home, ".signalbox/audit/2026.jsonl"), "{}\n");
  const { code, stdout } = await signalbox(["doctor"], { cwd, env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {3}policy .*nonsense/m);
  expect(stdout).toMatch(/^fail {3}audit .*2026\.jsonl, record 1/m);
});

test("a sandbox that the policy asks for is put to the proof", async () => {
  const home = tempFolder();
  mkdirSync(join(home, ".signalbox"));
  writeFileSync(join(home, ".signalbox/policy.yaml"), "version: 1\nsandbox: workspace\n");
  const { stdout } = await signalbox(["doctor", "--verbose"], {
    cwd: tempFolder(),
    env: { ...process.env, HOME: home },
  });
  expect(stdout).toMatch(
    /^(?:ok {5}sandbox {2,}contained: yes \(disk, secrets, network, processes\), by bubblewrap|fail {3}sandbox {2,}contained: no, because .*so no command will run)/m,
  );
});

test("a FIFO named like a policy hangs neither doctor nor a hook", async () => {
  const { env } = standInAgent("claude", "echo 1.0");
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".signalbox"));
  execFileSync("mkfifo", [join(cwd, ".signalbox/policy.yaml")]);
  const report = await signalbox(["doctor"], { cwd, env });
  expect([report.code, report.stdout]).toEqual([1, expect.stringMatching(/^fail {3}policy .*not a regular file/m)]);
  const call = JSON.stringify({ tool_name: "Bash", tool_input: { command: "pwd" }, cwd });
  expect(JSON.parse((await signalbox(["xpia-hook"], { cwd, env, input: call })).stdout)).toMatchObject({
    permissionDecision: "deny",
  });
});
