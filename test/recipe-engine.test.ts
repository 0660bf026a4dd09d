import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";
import { standInRunner } from "./support/stand-in-runner.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

const HELLO = "name: hello\nsteps:\n  - { id: a, command: echo hi }\n";

function place(mode: string, recipe = HELLO, home = withoutSandbox(tempFolder())) {
  const cwd = tempRepository();
  writeFileSync(join(cwd, "hello.yaml"), recipe);
  const runner = standInRunner(join(tempFolder(), "bin/recipe-runner-rs"), mode);
  const run = (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
    signalbox(["recipe", "run", "./hello.yaml", "--json", ...args], {
      cwd,
      env: { HOME: home, RECIPE_RUNNER_RS_PATH: runner, ...env },
    });
  const record = (name: string) => readFileSync(join(cwd, `${name}.record`), "utf8");
  return { cwd, home, runner, run, record };
}

const RESULT = {
  recipe_name: "hello",
  success: true,
  step_results: [{ step_id: "a", status: "completed", output: "hi", error: "", duration: 0.1 }],
  context: { x: 1 },
  duration: 0.6,
};

/** What signalbox says about a failure. */
const errorIn = (stderr: string) => /^signalbox: (\w+Error: [^]*?)\n {2}where: /m.exec(stderr)?.[1];

test("the variable chooses the external runner: two banners, one result on stdout, a receipt that names it", async () => {
  const { home, cwd, run, runner } = place("ok");
  const { code, stdout, stderr } = await run();
  expect([code, JSON.parse(stdout)]).toEqual([0, RESULT]);
  expect(stderr.split("\n").filter((line) => line.startsWith("[amplihack]"))).toEqual([
    "[amplihack] recipe-runner --- starting: hello",
    "[amplihack] recipe-runner --- executing: hello",
  ]);
  expect(stderr).toContain(
    "recipe-runner-rs 0.3.10 runs hello outside the sandbox, because the policy sets sandbox: off",
  );
  const id = /receipt show (\S+)/.exec(stderr)?.[1] ?? "";
  const [shown, verified] = await Promise.all(
    [
      ["show", id],
      ["verify", id],
    ].map((words) => signalbox(["receipt", ...words], { cwd, env: { HOME: home } })),
  );
  expect(shown?.stdout).toContain("recipe-runner-rs 0.3.10 (through recipe)");
  expect(shown?.stdout).toContain("no: this host does not send every call to the guard");
  expect([verified?.code, verified?.stdout]).toEqual([0, expect.stringContaining("was NOT guarded")]);
  expect(readFileSync(receiptFile(home, id), "utf8")).toContain(`run by ${runner} 0.3.10, sha256 `);
  expect(readdirSync(join(home, ".signalbox/recipe-runs"))).toEqual([]);
});

function receiptFile(home: string, id: string): string {
  const folder = join(home, ".signalbox/receipts");
  const files = readdirSync(folder).map((name) => join(folder, name));
  return files.find((file) => file.endsWith(".json") && readFileSync(file, "utf8").includes(id)) ?? "";
}

const UNKNOWN = "RustRunnerVersionError: Could not determine the installed recipe-runner-rs version";
const REFUSING = "Refusing to run without a verifiable version";

test.each([
  ["version-fails", 1, `${UNKNOWN}: '--version' exited with 9. ${REFUSING}`],
  ["version-killed", 1, `${UNKNOWN}: '--version' was killed by SIGKILL. ${REFUSING}`],
  ["version-empty", 1, `${UNKNOWN}: '--version' printed nothing. ${REFUSING}`],
  ["version-hangs", 1, `${UNKNOWN}: '--version' did not end within 10 s. ${REFUSING}`],
  [
    "version-rubbish",
    1,
    `RustRunnerVersionError: recipe-runner-rs reported an unparseable version 'recipe-runner from the future'. ${REFUSING}`,
  ],
  ["version-old", 1, "RustRunnerVersionError: recipe-runner-rs version 0.3.4 is older than the required minimum 0.3.5"],
  ["dies", 1, "RustRunnerRuntimeError: Rust recipe runner failed (exit 5): two\nthree\nfour\nfive\nsix"],
  ["finds-nothing", 3, "RustRunnerRuntimeError: Rust recipe runner failed (exit 3): no such recipe"],
  ["silent", 1, "RustRunnerRuntimeError: Rust recipe runner failed (exit 6): no stderr"],
  [
    "terminated",
    1,
    "RustRunnerRuntimeError: Rust recipe runner killed by signal SIGTERM (15). It was ended before it gave a result",
  ],
  [
    "killed",
    1,
    "RustRunnerRuntimeError: Rust recipe runner killed by signal SIGKILL (9). It was ended before it gave a result",
  ],
  ["empty", 1, "RustRunnerRuntimeError: Rust recipe runner returned unparseable output (exit 0): empty stdout"],
  [
    "rubbish",
    1,
    "RustRunnerRuntimeError: Rust recipe runner returned unparseable output (exit 0): hello \\u{1b}[31mworld",
  ],
  ["twice", 1, expect.stringContaining("returned unparseable output (exit 0): {")],
  [
    "list",
    1,
    "RustRunnerRuntimeError: Rust recipe runner returned an invalid response for 'hello': top-level JSON must be an object",
  ],
  [
    "flood",
    1,
    "RustRunnerRuntimeError: Rust recipe runner returned unparseable output: more than 67108864 bytes, so it was ended",
  ],
])(
  "a runner that %s: exit code %i and its own message, nothing on stdout, no fallback",
  { concurrent: true },
  async (mode, exitCode, message) => {
    const { run } = place(mode);
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, error: errorIn(stderr) }).toEqual({ code: exitCode, stdout: "", error: message });
    expect(stderr).not.toContain("▶ a [bash]");
    expect(stderr.includes("signalbox: receipt ")).toBe(!mode.startsWith("version"));
  },
);

test("an exit code other than 0 with a valid result is a failed result, and degraded steps are named", async () => {
  const [failed, lying] = await Promise.all([place("fails").run(), place("lies").run()]);
  expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([
    1,
    {
      success: false,
      step_results: [{ status: "completed" }, { status: "degraded" }, { status: "failed", error: "exit code 7" }],
    },
  ]);
  expect(failed.stderr).toContain("warning: degraded: b (done, but the output is not the JSON that was asked for)");
  expect([lying.code, JSON.parse(lying.stdout)]).toEqual([1, { ...RESULT, success: false }]);
  expect(lying.stderr).toContain("reported success, but exited with 3, so the run counts as failed");
});

test("100 MB on stderr are read, and at most 4 MiB of them shown", async () => {
  const { code, stdout, stderr } = await place("flood-stderr").run();
  expect([code, JSON.parse(stdout), stderr.length < 5_000_000]).toEqual([0, RESULT, true]);
  expect(stderr).toContain("more messages of the external runner are not shown");
});

test("the command line and the environment: values, large values, an allow-list, and the shim for the active agent", async () => {
  const inputs = "inputs:\n  level: { type: number, default: 3 }\n";
  const { cwd, home, run, runner, record } = place("records", `${HELLO}${inputs}`);
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
  const spilled = argv.find((word) => word.startsWith("big=")) ?? "";
  expect(argv).toEqual([
    join(cwd, "hello.yaml"),
    ...["--output-format", "json", "-C", cwd, "--progress", "--no-auto-stage", "--include-tags", "a,b"],
    ...["-R", cwd, "-R", join(PROJECT, "recipes")].slice(0, argv.includes(join(PROJECT, "recipes")) ? 4 : 2),
    ...["level=3", "who=it's $(id)", 'list=["a"]', "yes=true", spilled]
      .flatMap((pair) => ["--set", pair])
      .toSpliced(0, 0),
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

test("an agent that needs no shim gets none", async () => {
  const { run, record } = place("records");
  await run(["--agent", "codex"]);
  expect(record("env")).toContain("AMPLIHACK_AGENT_BINARY=codex\n");
  expect(record("env")).not.toContain("/shims:");
});

test("Ctrl-C ends the runner and everything it started", async () => {
  const { cwd, home, runner, record } = place("hangs");
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
  const hanging = place("hangs");
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
  const leaving = place("leaves");
  await leaving.run();
  for (const { record } of [hanging, leaving])
    expect(record("pids").trim().split("\n").map(Number).filter(isAlive)).toEqual([]);
});

test("what the external runner cannot do is refused before it starts", async () => {
  const start = (args: readonly string[], recipe?: string, env?: NodeJS.ProcessEnv) =>
    place("ok", recipe).run(args, env);
  const outcomes = await Promise.all([
    start(["--engine", "python"]),
    start(["--resume", "3f2a", "--engine", "rust"]),
    start(["--step-timeout", "5"]),
    start([], `${HELLO}  - { id: b, approval: "Really?" }\n`),
    start(["--dry-run"], `${HELLO}hooks: { pre_step: "touch ran" }\n`),
    start(["--preset", "ci"], `${HELLO}  - { id: plan, prompt: Plan it }\n`),
    start(["--require-sandbox"], `${HELLO}  - { id: plan, prompt: Plan it }\n`),
    start([], HELLO, { SIGNALBOX_RUN: "1234" }),
    start([], HELLO, {
      RECIPE_RUNNER_RS_PATH: "/nowhere/recipe-runner-rs",
      PATH: `${dirname(place("ok").runner)}:${process.env["PATH"]}`,
    }),
    start([], `${HELLO}  - { id: b, recipe: nothing }\n`),
  ]);
  expect(
    outcomes.map(({ code, stdout, stderr }) => [code, stdout, /^signalbox: (.*)\n {2}where:/m.exec(stderr)?.[1]]),
  ).toEqual([
    [4, "", "unknown engine 'python'"],
    [4, "", "the external runner does not know --resume"],
    [4, "", "the external runner does not know --step-timeout"],
    [2, "", "the external runner does not know these fields: b: approval"],
    [4, "", "the external runner runs hooks even in a dry run"],
    [4, "", "--preset does not reach agents that the external runner starts (plan)"],
    [
      1,
      "",
      "a sandbox is required, but the external runner cannot run in one here, because the recipe starts agents (plan)",
    ],
    [1, "", "the external runner cannot be started inside an agent's session"],
    [3, "", "RustRunnerNotFoundError: RECIPE_RUNNER_RS_PATH is set, but cannot be used: there is no such program"],
    [3, "", "there is no recipe 'nothing'"],
  ]);
});

test("--engine native is ours whatever the variable says, and a missing runner is no reason to use ours", async () => {
  const { home, cwd, run } = place("killed");
  const native = await run(["--engine", "native"]);
  expect([native.code, JSON.parse(native.stdout).step_results[0].output]).toEqual([0, "hi"]);
  const missing = await signalbox(["recipe", "run", "./hello.yaml", "--engine", "rust"], {
    cwd,
    env: { HOME: home, PATH: "/usr/bin:/bin" },
  });
  expect([missing.code, missing.stdout, errorIn(missing.stderr)]).toEqual([
    3,
    "",
    "RustRunnerNotFoundError: recipe-runner-rs was not found",
  ]);
});

test("a recipe of the repository needs trust, its sub-recipes too, and --yes needs a sandbox", async () => {
  const { cwd, home, runner } = place("ok");
  const folder = join(cwd, ".claude/recipes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "hello.yaml"), HELLO);
  mkdirSync(join(home, ".signalbox/recipes"));
  writeFileSync(join(home, ".signalbox/recipes/outer.yaml"), "name: outer\nsteps:\n  - { id: a, recipe: hello }\n");
  const run = (args: readonly string[]) =>
    signalbox(["recipe", "run", ...args], { cwd, env: { HOME: home, RECIPE_RUNNER_RS_PATH: runner } });
  const [named, outer, once] = await Promise.all([run(["hello"]), run(["outer"]), run(["hello", "--yes"])]);
  expect([named.code, named.stderr]).toEqual([1, expect.stringContaining("is not trusted")]);
  expect([outer.code, outer.stderr]).toEqual([1, expect.stringContaining("is not trusted")]);
  expect([once.code, once.stderr]).toEqual([1, expect.stringContaining("its commands cannot be contained here")]);
});

test.skipIf(!hasSandbox)(
  "a recipe without agents runs in the sandbox with its runner, one with agents outside",
  async () => {
    const home = tempFolder();
    const { cwd, run, record } = place("escapes", HELLO, home);
    const { code, stderr } = await run();
    expect([code, record("inside")]).toEqual([0, "worked\n"]);
    expect(existsSync(join(home, "outside.record"))).toBe(false);
    expect(stderr).toContain("recipe-runner-rs 0.3.10 runs hello in the sandbox");
    const shown = await signalbox(["receipt", "show", /receipt show (\S+)/.exec(stderr)?.[1] ?? ""], {
      cwd,
      env: { HOME: home },
    });
    expect(shown.stdout).toMatch(/contained\s+yes/);
    const killed = await place("killed", HELLO, home).run();
    expect(errorIn(killed.stderr)).toContain("killed by signal SIGKILL (9)");
    const records = place("records", HELLO, home);
    expect((await records.run(["--agent", "copilot", "-c", `big=${"x".repeat(40_000)}`])).code).toBe(0);
    expect([records.record("big").length, records.record("copilot")]).toEqual([
      40_000,
      expect.stringMatching(/\/shims\/copilot\n$/),
    ]);
    const agents = place("escapes", `${HELLO}  - { id: plan, prompt: Plan it }\n`, home);
    const outside = await agents.run();
    expect([outside.code, existsSync(join(home, "outside.record"))]).toEqual([0, true]);
    expect(outside.stderr).toContain(
      "outside the sandbox, because the recipe starts agents (plan), which cannot work inside; its commands are not judged, its agents are",
    );
  },
);

test("doctor names the runner and its version, and what is wrong with one that a variable names", async () => {
  const { cwd, home, runner } = place("ok");
  const old = standInRunner(join(tempFolder(), "recipe-runner-rs"), "version-old");
  const check = async (env: NodeJS.ProcessEnv) => {
    const { stdout } = await signalbox(["doctor", "--json"], { cwd, env: { HOME: home, ...env } });
    return JSON.parse(stdout).checks.find(({ id }: { id: string }) => id === "recipe-runner");
  };
  const [found, tooOld, absent] = await Promise.all([
    check({ RECIPE_RUNNER_RS_PATH: runner }),
    check({ RECIPE_RUNNER_RS_PATH: old }),
    check({ PATH: "/usr/bin:/bin" }),
  ]);
  expect(found).toMatchObject({
    status: "ok",
    summary: expect.stringContaining(`0.3.10 at ${runner} (from RECIPE_RUNNER_RS_PATH), sha256 `),
    facts: { path: runner, version: "0.3.10" },
  });
  expect(tooOld).toMatchObject({
    status: "fail",
    summary: expect.stringContaining("older than the required minimum 0.3.5"),
  });
  expect(absent).toMatchObject({ status: "absent" });
});
