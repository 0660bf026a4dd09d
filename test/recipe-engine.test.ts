import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "./support/run-signalbox.ts";
import { errorIn, HELLO, runnerScene } from "./support/stand-in-runner.ts";

const RESULT = {
  recipe_name: "hello",
  success: true,
  step_results: [{ step_id: "a", status: "completed", output: "hi", error: "", duration: 0.1 }],
  context: { x: 1 },
  duration: 0.6,
};

test("the variable chooses the external runner: two banners, one result on stdout, a receipt that names it", async () => {
  const { home, cwd, run, runner } = runnerScene("ok");
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

test("a runner that is refused ends the command with its message", async () => {
  const { code, stdout, stderr } = await runnerScene("version-old").run();
  const message = "RustRunnerVersionError: recipe-runner-rs version 0.3.4 is older than the required minimum 0.3.5";
  expect([code, stdout, errorIn(stderr), stderr.includes("[amplihack]")]).toEqual([1, "", message, false]);
});

test.each([
  ["dies", 1, "RustRunnerRuntimeError: Rust recipe runner failed (exit 5): two\nthree\nfour\nfive\nsix"],
  ["finds-nothing", 1, "RustRunnerRuntimeError: Rust recipe runner failed (exit 3): no such recipe"],
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
  "a runner that %s: exit code %i and its own message, nothing on stdout, a receipt, no fallback",
  async (mode, exitCode, message) => {
    const { run } = runnerScene(mode);
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, error: errorIn(stderr) }).toEqual({ code: exitCode, stdout: "", error: message });
    expect(stderr).not.toContain("▶ a [bash]");
    expect(stderr).toContain("signalbox: receipt ");
  },
);

test("an exit code other than 0 with a valid result is a failed result, and degraded steps are named", async () => {
  const [failed, lying] = await Promise.all([runnerScene("fails").run(), runnerScene("lies").run()]);
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

test("100 MB on stderr are read, and little more than 1 MiB of them shown", async () => {
  const { code, stdout, stderr } = await runnerScene("flood-stderr").run();
  expect([code, JSON.parse(stdout), stderr.length < 1_200_000]).toEqual([0, RESULT, true]);
  expect(stderr).toContain("the external runner says more, which is not shown");
});

test("what the external runner cannot do is refused before it starts", async () => {
  const start = (args: readonly string[], recipe?: string, env?: NodeJS.ProcessEnv) =>
    runnerScene("ok", recipe).run(args, env);
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
      PATH: `${dirname(runnerScene("ok").runner)}:${process.env["PATH"]}`,
    }),
    start([], `${HELLO}  - { id: b, recipe: nothing }\n`),
    start(["-c", `big=${"x".repeat(32_768)}`], `${HELLO}  - { id: b, command: "echo {{big}}" }\n`),
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
    [
      4,
      "",
      "'big' has 32768 bytes. The external runner gets a value of that size as a file:// address, and these steps would get the address: b",
    ],
  ]);
});

test("--engine native is ours whatever the variable says, and a missing runner is no reason to use ours", async () => {
  const { home, cwd, run } = runnerScene("killed");
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
  const { cwd, home, runner } = runnerScene("ok");
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
