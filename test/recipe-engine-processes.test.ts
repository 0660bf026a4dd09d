import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { errorIn, HELLO, runnerScene } from "./support/stand-in-runner.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("the command line and the environment: values, large values, an allow-list, and the shim for the active agent", async () => {
  const inputs = "inputs:\n  level: { type: number, default: 3 }\n";
  const { cwd, home, run, runner, record } = runnerScene("records", `${HELLO}  - { id: b, recipe: sub }\n${inputs}`);
  writeFileSync(join(cwd, "sub.yaml"), HELLO);
  const big = join(tempFolder(), "big.txt");
  writeFileSync(big, "x".repeat(40_000));
  const flags = ["-c", "who=it's $(id)", "-c", 'list=["a"]', "-c", "yes=True", "-c", `big=file://${big}`];
  const { code, stderr } = await run([...flags, "--no-auto-stage", "--include-tags", "a,b"], {
    AMPLIHACK_AGENT_BINARY: "copilot",
    AMPLIHACK_SESSION_DEPTH: "2",
    AMPLIHACK_TREE_ID: "tree-1",
    AMPLIHACK_MAX_SESSIONS: "many",
    LD_PRELOAD: "",
    MY_TOKEN: "secret",
    OTHER: "not listed",
  });
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      "'big' has 40000 bytes, so it is passed as a file:// address, which the external runner does not read back",
    ),
  ]);
  const argv = record("argv").trim().split("\n");
  const [copy = ""] = argv;
  expect([record("recipe"), record("recipes"), existsSync(copy)]).toEqual([
    readFileSync(join(cwd, "hello.yaml"), "utf8"),
    "hello.yaml\nsub.yaml\n",
    false,
  ]);
  const spilled = argv.find((word) => word.startsWith("big=")) ?? "";
  expect(argv).toEqual([
    copy,
    "--output-format",
    "json",
    "-C",
    cwd,
    "--progress",
    "--no-auto-stage",
    "--include-tags",
    "a,b",
    "-R",
    dirname(copy),
    ...["level=3", "who=it's $(id)", 'list=["a"]', "yes=true", spilled].flatMap((pair) => ["--set", pair]),
  ]);
  expect([record("big").length, existsSync(spilled.slice("big=file://".length))]).toEqual([40_000, false]);
  const env = Object.fromEntries(
    record("env")
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  expect(env).toMatchObject({
    AMPLIHACK_AGENT_BINARY: "copilot",
    AMPLIHACK_SESSION_DEPTH: "2",
    AMPLIHACK_MAX_DEPTH: "8",
    AMPLIHACK_MAX_SESSIONS: "10",
    AMPLIHACK_TREE_ID: "tree-1",
    AMPLIHACK_LAUNCHER_BINARY: join(PROJECT, "bin/signalbox"),
    HOME: home,
  });
  expect(["MY_TOKEN", "OTHER", "LD_PRELOAD", "RECIPE_RUNNER_RS_PATH"].filter((name) => name in env)).toEqual([]);
  const shims = env["PATH"]?.split(":")[0] ?? "";
  expect([record("copilot").trim(), existsSync(shims), existsSync(runner)]).toEqual([
    join(shims, "copilot"),
    false,
    true,
  ]);
});

test("agents that the runner starts, itself or by name, are guarded", async () => {
  const { env, home } = standInAgent("copilot", `printf '%s\\n' "$@" --- >>"$HOME/seen"`);
  const { run } = runnerScene("agents", `${HELLO}  - { id: plan, prompt: Plan it }\n`, home);
  const { code, stderr } = await run(["--agent", "copilot"], env);
  const [first, second] = readFileSync(join(home, "seen"), "utf8").split("---\n");
  const guarded = expect.stringMatching(/^--plugin-dir\n.*copilot-plugin$/m);
  expect([code, first, second]).toEqual([0, guarded, guarded]);
  expect([first, second]).toEqual([
    expect.stringContaining("the task"),
    expect.stringContaining("Be brief.\n\nby name"),
  ]);
  expect(stderr).toContain("its commands are not judged, its agents are");
});

test("an agent that needs no shim gets none", async () => {
  const { run, record } = runnerScene("records");
  await run(["--agent", "codex"]);
  expect(record("env")).toContain("AMPLIHACK_AGENT_BINARY=codex\n");
  expect(record("env")).not.toContain("/recipe-runs/");
});

test("Ctrl-C ends the runner and everything it started", async () => {
  const { cwd, home, runner, record } = runnerScene("hangs");
  const { code, stdout, stderr } = await signalbox(["recipe", "run", "./hello.yaml", "--json"], {
    cwd,
    env: { HOME: home, RECIPE_RUNNER_RS_PATH: runner },
    async during(child) {
      await vi.waitUntil(() => existsSync(join(cwd, "started.record")), { timeout: 30_000 });
      child.kill("SIGINT");
    },
  });
  expect([code, stdout, errorIn(stderr)]).toEqual([
    1,
    "",
    "RustRunnerRuntimeError: Rust recipe runner was ended (interrupted), with everything that it started",
  ]);
  expect(record("pids").trim().split("\n").map(Number).filter(isAlive)).toEqual([]);
});

test("what a killed signalbox or a runner leaves running is ended", async () => {
  const hanging = runnerScene("hangs");
  await signalbox(["recipe", "run", "./hello.yaml", "--json"], {
    cwd: hanging.cwd,
    env: { HOME: hanging.home, RECIPE_RUNNER_RS_PATH: hanging.runner },
    async during(child) {
      await vi.waitUntil(() => existsSync(join(hanging.cwd, "started.record")), { timeout: 30_000 });
      child.kill("SIGKILL");
      // The streams stay open as long as the runner lives.
      await signalbox(["doctor"], { cwd: hanging.cwd, env: { HOME: hanging.home } });
    },
  });
  const leaving = runnerScene("leaves");
  await leaving.run();
  for (const { record } of [hanging, leaving])
    expect(record("pids").trim().split("\n").map(Number).filter(isAlive)).toEqual([]);
});

test.skipIf(!hasSandbox)(
  "a recipe without agents runs in the sandbox with its runner, one with agents outside",
  async () => {
    const home = tempFolder();
    const { cwd, run, record } = runnerScene("escapes", HELLO, home);
    const { code, stderr } = await run();
    expect([code, record("inside")]).toEqual([0, "worked\n"]);
    expect(existsSync(join(home, "outside.record"))).toBe(false);
    expect(stderr).toContain("recipe-runner-rs 0.3.10 runs hello in the sandbox");
    const shown = await signalbox(["receipt", "show", /receipt show (\S+)/.exec(stderr)?.[1] ?? ""], {
      cwd,
      env: { HOME: home },
    });
    expect(shown.stdout).toMatch(/contained\s+yes/);
    const killed = await runnerScene("killed", HELLO, home).run();
    expect(errorIn(killed.stderr)).toContain("killed by signal SIGKILL (9)");
    const records = runnerScene("records", HELLO, home);
    expect((await records.run(["--agent", "copilot", "-c", `big=${"x".repeat(40_000)}`])).code).toBe(0);
    expect([records.record("big").length, records.record("env")]).toEqual([
      40_000,
      expect.stringMatching(/^PATH=[^:]*\/shims:/m),
    ]);
    const agents = runnerScene("escapes", `${HELLO}  - { id: plan, prompt: Plan it }\n`, home);
    const outside = await agents.run();
    expect([outside.code, existsSync(join(home, "outside.record"))]).toEqual([0, true]);
    expect(outside.stderr).toContain(
      "outside the sandbox, because the recipe starts agents (plan), which cannot work inside; its commands are not judged, its agents are",
    );
  },
);
