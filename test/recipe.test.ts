import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scene } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

const HELLO = `name: hello
context: { who: world }
steps:
  - { id: greet, command: "echo Hello {{who}}", output: greeting }
  - { id: skip, condition: "who == 'nobody'", command: exit 1 }
`;

function place() {
  const cwd = tempRepository();
  const home = withoutSandbox(tempFolder());
  const recipe = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    signalbox(["recipe", ...args], { cwd, env: { HOME: home, ...env } });
  return { cwd, home, recipe };
}

test("run FILE --json prints the result object and nothing else, and seals a summary", async () => {
  const { cwd, home, recipe } = place();
  writeFileSync(join(cwd, "hello.yaml"), HELLO);
  const { code, stdout, stderr } = await recipe(["run", "./hello.yaml", "--json", "-c", "who=it's $(id)"]);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      recipe_name: "hello",
      success: true,
      step_results: [
        { step_id: "greet", status: "completed", output: "Hello it's $(id)", error: "", duration: expect.any(Number) },
        { step_id: "skip", status: "skipped", output: "", error: "", duration: expect.any(Number) },
      ],
      context: { who: "it's $(id)", greeting: "Hello it's $(id)" },
      duration: expect.any(Number),
    },
  ]);
  const run = /receipt show (\S+)/.exec(stderr)?.[1] ?? "";
  expect(stderr).toContain("✓ greet (");
  const shown = await signalbox(["receipt", "verify", run], { cwd, env: { HOME: home } });
  expect([shown.code, shown.stderr]).toEqual([0, ""]);
});

test("runs names recipes and native sessions, and says how each ended", { timeout: 60_000 }, async () => {
  const { run, cwd, home } = await scene({ scenes: [{ turns: [{ shell: "echo x > made" }, { text: "done" }] }] });
  withoutSandbox(home);
  writeFileSync(join(cwd, "hello.yaml"), HELLO);
  writeFileSync(join(cwd, "fails.yaml"), "name: fails\nsteps:\n  - { id: a, command: exit 7 }\n");
  const codes = [
    await run(["recipe", "run", "./hello.yaml"]),
    await run(["recipe", "run", "./fails.yaml"]),
    await run(["native", "-p", "look around"]),
  ].map(({ code }) => code);
  const [bare, listed, json] = [
    await run(["runs"]),
    await run(["runs", "list"]),
    await run(["runs", "list", "--json"]),
  ];
  const about = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.split("  ").slice(2).join("  "));
  expect([codes, about(bare.stdout), listed.stdout]).toEqual([
    [0, 1, 0],
    ["recipe  succeeded  hello", "recipe  failed  fails", "native  restorable  done  look around"],
    bare.stdout,
  ]);
  expect(
    json.stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({ agent: "recipe", recipe: "hello", root: cwd, state: "succeeded" }),
    expect.objectContaining({ agent: "recipe", recipe: "fails", state: "failed" }),
    expect.objectContaining({ agent: "native", task: "look around", state: "done" }),
  ]);
});

test("each kind of mistake has its exit code", async () => {
  const { cwd, recipe } = place();
  writeFileSync(join(cwd, "hello.yaml"), HELLO);
  writeFileSync(join(cwd, "bad.yaml"), "name: bad\nsteps: [\n");
  writeFileSync(join(cwd, "fails.yaml"), "name: fails\nsteps:\n  - { id: a, command: exit 7 }\n");
  const outcomes = await Promise.all(
    [
      ["run", "./fails.yaml"],
      ["run", "./bad.yaml"],
      ["run", "./missing.yaml"],
      ["run", "nothing"],
      ["run", "./hello.yaml", "-c", "novalue"],
      ["run", "./hello.yaml", "--unknown"],
      ["rum", "./hello.yaml"],
    ].map(async (args) => {
      const { code, stderr } = await recipe(args);
      return [code, stderr.split("\n").find((line) => /^signalbox: (?!recipe run|receipt)/.test(line))];
    }),
  );
  expect(outcomes).toEqual([
    [1, expect.stringMatching(/^signalbox: to continue: signalbox recipe run --resume [0-9a-f-]{36}$/)],
    [2, expect.stringContaining("the recipe is invalid YAML")],
    [3, "signalbox: the recipe cannot be read"],
    [3, "signalbox: there is no recipe 'nothing'"],
    [4, "signalbox: expected KEY=VALUE"],
    [4, "signalbox: unknown option '--unknown'"],
    [4, "signalbox: unknown subcommand 'rum' (did you mean 'run'?)"],
  ]);
});

test("a recipe of the repository runs by name only when it is trusted, and the first place wins", async () => {
  const { cwd, home, recipe } = place();
  for (const [folder, text] of [
    [join(cwd, ".claude/recipes"), HELLO],
    [join(home, ".signalbox/recipes"), "name: hello\ndescription: mine\nsteps:\n  - { id: a, command: echo mine }\n"],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "hello.yaml"), text);
  }
  const listed = await recipe(["list", "--json"]);
  const rows = listed.stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(rows.slice(0, 2)).toEqual([
    expect.objectContaining({ name: "hello", origin: "repository", hidden_by: null }),
    expect.objectContaining({
      name: "hello",
      origin: "user",
      hidden_by: join(cwd, ".claude/recipes"),
      description: "mine",
    }),
  ]);
  const [untrusted, once] = await Promise.all([recipe(["run", "hello"]), recipe(["run", "hello", "--yes"])]);
  expect([untrusted.code, untrusted.stderr]).toEqual([1, expect.stringContaining("is not trusted")]);
  expect([once.code, once.stderr]).toEqual([1, expect.stringContaining("its commands cannot be contained here")]);
  const trusted = await signalbox(["trust", "--yes"], { cwd, env: { HOME: home } });
  expect(trusted.stdout).toContain("hello.yaml is now trusted");
  const allowed = await recipe(["run", "hello", "-f", "table"], { AMPLIHACK_CONTEXT_WHO: "env" });
  expect([allowed.code, allowed.stdout]).toEqual([
    0,
    expect.stringMatching(/completed .*greet\nskipped .*skip\nhello: succeeded in/),
  ]);
});

test("validate, show and graph only look", async () => {
  const { cwd, recipe } = place();
  writeFileSync(
    join(cwd, "look.yaml"),
    "name: look\ncolour: red\nsteps:\n  - { id: a, command: touch ran, output: x }\n  - { id: b, condition: 'x == 1 2', command: 'echo $(( {{y}} )) {{y[x]}}' }\n  - { id: c, recipe: other, needs: [a] }\n",
  );
  const [validate, show, graph, dry] = await Promise.all([
    recipe(["validate", "./look.yaml", "--json"]),
    recipe(["show", "./look.yaml", "--json"]),
    recipe(["graph", "./look.yaml"]),
    recipe(["run", "./look.yaml", "--dry-run", "--json"]),
  ]);
  expect([validate.code, JSON.parse(validate.stdout)]).toEqual([
    2,
    {
      recipe: "look",
      file: join(cwd, "look.yaml"),
      valid: false,
      errors: [
        "b: the condition is invalid: unexpected '2' after the end (at position 8)",
        "b: '{{y[x]}}' is no template: an index is a number, or a name in quotes",
      ],
      warnings: [
        `${join(cwd, "look.yaml")}:2: unknown field 'colour'; it has no effect`,
        "b: {{y}} is set by no step before it and is not in the context",
        "b: {{y}} is used in arithmetic, so its value must be a number",
        "c: there is no recipe 'other'",
      ],
    },
  ]);
  expect(JSON.parse(show.stdout)).toMatchObject({ steps: [{ type: "bash" }, { type: "bash" }, { type: "recipe" }] });
  expect(graph.stdout).toBe(
    'flowchart TD\n  s0["a"]\n  s1["b"]\n  s2[["c: other"]]\n  s0 -->|x == 1 2| s1\n  s0 --> s2\n',
  );
  expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([0, { success: true, context: { x: "(dry-run)" } }]);
  expect(readdirSync(cwd)).not.toContain("ran");
});

test("an agent step is a work order with a receipt, and its persona reaches the model", async () => {
  const { cwd, home, run, server } = await scene({ turns: [{ text: '{"plan": ["one", "two"]}' }] });
  withoutSandbox(home);
  mkdirSync(join(cwd, ".signalbox/agents"), { recursive: true });
  writeFileSync(join(cwd, ".signalbox/agents/planner.md"), "---\nname: planner\n---\nYou plan with care.\n");
  writeFileSync(
    join(cwd, "plan.yaml"),
    "name: plan\nsteps:\n  - { id: plan, agent: 'team:planner', prompt: 'Plan {{task_description}}', parse_json: true, output: p }\n  - { id: count, command: 'echo {{p.plan}}', output: c }\n",
  );
  const { code, stdout, stderr } = await run([
    "recipe",
    "run",
    "./plan.yaml",
    "--agent",
    "native",
    "--json",
    "-c",
    "task_description=it",
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("▶ plan [agent]")]);
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    context: { p: { plan: ["one", "two"] }, c: ["one", "two"] },
  });
  const asked = JSON.stringify(server.requests);
  expect([asked.includes("You plan with care."), asked.includes("Plan it")]).toEqual([true, true]);
  const journal = join(home, ".signalbox/recipe-runs");
  const lines = readFileSync(join(journal, readdirSync(journal)[0] ?? "", "journal.jsonl"), "utf8");
  const agentRun = /"t":"receipt","key":"plan","run_id":"([^"]+)"/.exec(lines)?.[1] ?? "";
  expect((await run(["receipt", "verify", agentRun])).code).toBe(0);
});

test("nested runs end at the depth limit, and a depth that is no number counts as the limit", async () => {
  const { cwd, recipe } = place();
  writeFileSync(join(cwd, "hello.yaml"), HELLO);
  const [deep, odd] = await Promise.all([
    recipe(["run", "./hello.yaml"], { AMPLIHACK_SESSION_DEPTH: "3", AMPLIHACK_MAX_DEPTH: "3" }),
    recipe(["run", "./hello.yaml"], { AMPLIHACK_SESSION_DEPTH: "many" }),
  ]);
  expect([deep.code, deep.stderr, odd.code]).toEqual([1, expect.stringContaining("nested too deeply"), 1]);
});

test.skipIf(!hasSandbox)("a host that was refused on the side is not named as why a step failed", async () => {
  const [cwd, home] = [tempRepository(), tempFolder()];
  const script = "curl -sS http://blocked.example/ > page 2>&1\necho '1 test failed'\nexit 1\n";
  writeFileSync(join(cwd, "tests.sh"), script);
  writeFileSync(join(cwd, "tests.yaml"), "name: tests\nsteps:\n  - { id: t, command: bash tests.sh }\n");
  const { stdout } = await signalbox(["recipe", "run", "./tests.yaml", "--json"], { cwd, env: { HOME: home } });
  const [step] = JSON.parse(stdout).step_results;
  expect([step.output, step.error.split("\n")]).toEqual([
    "1 test failed",
    ["exit code 1", expect.stringMatching(/^note: blocked by the sandbox: blocked\.example:80 /)],
  ]);
});

test.skipIf(!hasSandbox)(
  "steps are contained; what must leave the sandbox waits for a person or --outside",
  async () => {
    const [cwd, home, elsewhere] = [tempRepository(), tempFolder(), tempFolder()];
    const file = join(elsewhere, "pushed");
    writeFileSync(
      join(cwd, "push.yaml"),
      `name: push
context: { api_token: "it's $(id)" }
steps:
  - { id: token, command: "echo {{api_token}} $API_TOKEN", output: t }
  - { id: hidden, command: "cp /etc/hostname '${file}'", fatal: false }
  - { id: slow, command: "sleep 600", timeout: 0.2, fatal: false }
  - { id: push, command: "echo out > ${file}", contained: false }
`,
    );
    const run = (args: readonly string[]) =>
      signalbox(["recipe", "run", ...args, "--json"], { cwd, env: { HOME: home } });
    const blocked = await run(["./push.yaml"]);
    const result = JSON.parse(blocked.stdout);
    expect([blocked.code, result.context.t]).toEqual([1, "it's $(id) it's $(id)"]);
    const [, hidden, slow, push] = result.step_results;
    expect([hidden.status, slow.error, push.status]).toEqual([
      expect.stringMatching(/failed|blocked/),
      "timed out after 0.2 s",
      "blocked",
    ]);
    const resume = /--resume (\S+) --outside 'push'/.exec(push.error)?.[1] ?? "";
    const resumed = await run(["--resume", resume, "--outside", "push"]);
    expect([resumed.code, readFileSync(file, "utf8")]).toEqual([0, "out\n"]);
  },
);
