import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeScene } from "../../../test/support/recipe-scene.ts";
import { saysRecovered } from "./run-step.ts";

const recipe = (steps: string, top = "") => `name: r\n${top}\nsteps:\n${steps}`;

test("outputs are typed where they are JSON, and reach conditions, commands and prompts", async () => {
  const { run } = recipeScene({
    r: recipe(`
  - { id: number, command: "echo 42", output: n }
  - { id: long, command: "echo 12345678901234567890", output: id }
  - { id: list, command: "echo '[1, 2]'", output: l }
  - { id: text, command: "printf 'a b\\n\\n'", output: t }
  - { id: mixed, command: "echo 'Result: {\\"ok\\": true} end'", parse_json: true, output: m }
  - { id: fenced, command: "printf '\`\`\`json\\n{\\"x\\": 1}\\n\`\`\`\\n'", parse_json: true, output: f }
  - { id: raw, command: "echo none", parse_json: true, output: r }
  - { id: empty, command: "true", parse_json: true, output: e }
  - { id: yes, condition: "n == 42 and m.ok and l[1] == 2", command: "echo {{t}} {{m.ok}} $N", output: y }
  - { id: no, condition: "not m.ok", command: "exit 1" }
  - { id: ask, prompt: "About {{t}} and {{l}}{{missing}}", output: said }
`),
  });
  const { context, statuses, prompts, events } = await run("r", { answer: () => "fine\n" });
  expect(context).toEqual({
    n: 42,
    id: "12345678901234567890",
    l: [1, 2],
    t: "a b",
    m: { ok: true },
    f: { x: 1 },
    r: "none",
    e: "",
    y: "a b true 42",
    said: "fine",
  });
  expect([statuses["raw"], statuses["empty"], statuses["no"], statuses["yes"]]).toEqual([
    "degraded",
    "completed",
    "skipped",
    "completed",
  ]);
  expect(prompts.map(({ prompt }) => prompt)).toEqual(["About a b and [1,2]"]);
  expect(events).toContainEqual({ type: "warning", message: "ask: {{missing}} has no value and becomes empty" });
});

test("a failure ends the run, unless it is not fatal", async () => {
  const { run } = recipeScene({
    r: recipe(`
  - { id: a, command: "echo out; echo why >&2; exit 3", continue_on_error: true, output: x }
  - { id: b, condition: "a ==", command: "true", fatal: false }
  - { id: c, command: "echo part; kill -9 $$" }
  - { id: d, command: "true" }
`),
  });
  const { result, end, errors, statuses } = await run("r");
  expect([end, result.success, result.context]).toEqual(["failed", false, { x: "out" }]);
  expect(statuses).toEqual({ a: "failed", b: "failed", c: "failed" });
  expect(errors).toEqual({
    a: "exit code 3: why",
    b: "Condition error: the condition is incomplete (at position 5)",
    c: "ended by SIGKILL",
  });
  expect(result.step_results.map(({ output }) => output)).toEqual(["out", "", "part"]);
});

test("a time-out ends the whole tree, and a process left behind does not hold up the run", async () => {
  const { run, workspace } = recipeScene({
    r: recipe(`
  - { id: slow, command: "(setsid sh -c 'sleep 600; touch late' &) ; sleep 600", timeout: 0.3, fatal: false }
  - { id: leaves, command: "sleep 600 & echo started", output: x }
`),
  });
  const { errors, context } = await run("r");
  expect(errors).toEqual({ slow: "timed out after 0.3 s" });
  expect([context, existsSync(join(workspace, "late"))]).toEqual([{ x: "started" }, false]);
});

test("independent steps run at once, and see the same context whichever is faster", async () => {
  const meet = (own: string, other: string) =>
    `"touch ${own}; until [ -e ${other} ]; do sleep 0.01; done; echo \${X:-none}"`;
  const { run } = recipeScene({
    r: recipe(`
  - { id: first, command: "echo 1", output: first }
  - { id: a, command: ${meet("a", "b")}, parallel_group: g, output: x }
  - { id: b, command: ${meet("b", "a")}, parallel_group: g, output: y }
  - { id: c, command: ${meet("c", "d")}, needs: [first], output: x }
  - { id: d, command: ${meet("d", "c")}, needs: [first], output: z }
  - { id: last, command: "echo {{x}}{{y}}{{z}}", output: all }
`),
  });
  const { context, end } = await run("r", { options: { stepTimeout: 50 } });
  expect([end, context]).toEqual(["completed", { first: 1, x: "none", y: "none", z: "none", all: "nonenonenone" }]);
});

test("when one of a group fails, the others finish and nothing follows", async () => {
  const { run, read } = recipeScene({
    r: recipe(`
  - { id: a, command: "touch a; exit 1", parallel_group: g }
  - { id: b, command: "until [ -e a ]; do sleep 0.01; done; echo b > b", parallel_group: g }
  - { id: c, command: "true" }
`),
  });
  const { statuses } = await run("r", { options: { stepTimeout: 50 } });
  expect([statuses, read("b")]).toEqual([{ a: "failed", b: "completed" }, "b\n"]);
});

test("retry, for_each, env, accept and hooks", async () => {
  const { run, read } = recipeScene({
    r: recipe(
      `
  - { id: again, command: "echo x >> tries; [ $(wc -l < tries) -ge 3 ]", retry: { times: 3 } }
  - { id: never, command: "exit 1", retry: 1, fatal: false }
  - { id: each, command: "echo {{item}}-{{index}}-$GREETING", for_each: [a, "b c"], env: { GREETING: "hi {{who}}" }, output: all }
  - { id: from, command: "echo {{one}}", for_each: { in: all, as: one, parallel: 2 }, output: copies }
  - { id: bad, command: "[ {{item}} != 2 ]", for_each: [1, 2, 3], fatal: false }
  - { id: list, command: "true", for_each: who, fatal: false }
  - { id: path, command: "true", env: { PATH: /evil }, fatal: false }
  - { id: checked, command: "true", accept: ["test -e tries", "test -e missing"], fatal: false }
`,
      `context: { who: you }
hooks: { pre_step: 'echo "pre $RECIPE_STEP_ID" >> hooks', on_error: 'echo "error $RECIPE_STEP_ID" >> hooks' }
accept: ["test -e hooks"]`,
    ),
  });
  const { context, errors, end } = await run("r");
  expect(end).toBe("completed");
  expect([read("tries"), context["all"], context["copies"]]).toEqual([
    "x\nx\nx\n",
    ["a-0-hi you", "b c-1-hi you"],
    ["a-0-hi you", "b c-1-hi you"],
  ]);
  expect(errors).toEqual({
    never: "exit code 1",
    bad: "item 1: exit code 1",
    list: "for_each needs a list, but 'who' is not one",
    path: "a recipe may not set the variable PATH",
    checked: "not accepted: 'test -e missing' exit code 1",
  });
  expect(read("hooks").split("\n").slice(0, 4)).toEqual(["pre again", "pre never", "error never", "pre each"]);
});

test("tags select steps, and a dry run runs nothing at all, hooks included", async () => {
  const { run, workspace } = recipeScene({
    r: recipe(
      `
  - { id: plain, command: "echo plain", output: p, condition: "broken ==" }
  - { id: fast, command: "echo fast", when_tags: [fast], parse_json: true }
  - { id: slow, command: "echo slow", when_tags: [slow] }
`,
      "hooks: { pre_step: touch hooked }",
    ),
  });
  const dry = await run("r", { options: { isDryRun: true } });
  expect(dry.result.step_results.map(({ status, output }) => [status, output])).toEqual([
    ["skipped", "[dry run]"],
    ["skipped", '{"dry_run":true,"step":"fast"}'],
    ["skipped", "[dry run]"],
  ]);
  expect([dry.end, dry.context, existsSync(join(workspace, "hooked"))]).toEqual([
    "completed",
    { p: "(dry-run)" },
    false,
  ]);
  const tagged = recipe(`
  - { id: a, command: "true", when_tags: [x] }
  - { id: b, command: "true", when_tags: [x, y] }
  - { id: c, command: "true" }
`);
  const steps = recipeScene({ r: tagged });
  const included = await steps.run("r", { options: { includeTags: ["y"] } });
  const excluded = await steps.run("r", { options: { excludeTags: ["y"] } });
  expect([included.statuses, excluded.statuses]).toEqual([
    { a: "skipped", b: "completed", c: "completed" },
    { a: "completed", b: "skipped", c: "completed" },
  ]);
});

test("a sub-recipe gets the context, its own validation counts, and its changes come back", async () => {
  const { run } = recipeScene({
    r: recipe(
      `
  - { id: one, recipe: child, context: { name: "{{who}}!" }, output: summary }
  - { id: two, recipe: child, context: { name: "" }, fatal: false }
  - { id: three, recipe: nowhere, fatal: false }
  - { id: four, recipe: ../child, fatal: false }
`,
      "context: { who: you, kept: 1 }",
    ),
    child:
      "name: child\ncontext: { kept: 2, own: 3 }\ncontext_validation: { name: nonempty }\nsteps:\n  - { id: a, command: 'echo hello {{name}}', output: greeting }\n",
  });
  const { context, errors } = await run("r");
  expect(context).toEqual({
    who: "you",
    kept: 1,
    own: 3,
    name: "you!",
    greeting: "hello you!",
    summary: "child: a completed",
  });
  expect(errors).toEqual({
    two: "child: 'name' must not be empty: pass it with -c name=VALUE",
    three: expect.stringContaining("there is no recipe 'nowhere'"),
    four: expect.stringContaining("not a recipe name: '../child'"),
  });
});

test("recipes that call each other end at the limits of depth and of steps", async () => {
  const scene = recipeScene({
    loop: recipe("  - { id: again, recipe: loop }\n"),
    many: recipe(
      "  - { id: all, command: 'true', for_each: [1], recipe: wide }\n",
      "recursion: { max_total_steps: 5 }",
    ),
    wide: recipe(Array.from({ length: 6 }, (_, index) => `  - { id: s${index}, command: 'true' }\n`).join("")),
  });
  expect((await scene.run("loop")).errors["again"]).toMatch(/(again: ){5}recipes are nested more than 6 levels deep/);
  expect((await scene.run("many")).errors["all"]).toContain("more than 5 steps");
});

test("agent steps: JSON is asked for twice, recovery has to be said plainly, the budget ends them", async () => {
  const { run } = recipeScene({
    r: recipe(
      `
  - { id: json, prompt: Give JSON, parse_json: true, parse_json_required: true, output: j }
  - { id: broken, command: "exit 1", recovery_on_failure: true }
  - { id: late, prompt: more }
`,
      "budget: { usd: 1.4 }",
    ),
  });
  const { prompts, context, errors, statuses } = await run("r", {
    answer: ({ prompt }) =>
      prompt.includes("Return only valid JSON") ? '{"a": 1}' : prompt.includes("failed") ? "STATUS: COMPLETE" : "no",
  });
  expect(context).toEqual({ j: { a: 1 } });
  expect(statuses).toEqual({ json: "completed", broken: "completed", late: "failed" });
  expect(errors).toEqual({ late: "the budget of 1.4 USD is used up" });
  expect(prompts.map(({ maxBudgetUsd }) => maxBudgetUsd?.toFixed(1))).toEqual(["1.4", "0.9", "0.4"]);
});

test.each([
  ["STATUS: COMPLETE", true],
  ["I have recovered it.", true],
  ["It could not be recovered.", false],
  ["The step was not recovered", false],
  ["Unable to recover; recovered files: 0", false],
  ["STATUS: COMPLETE? No. STATUS: FAILED", false],
  ["done", false],
])("%s: recovered is %s", (text, expected) => {
  expect(saysRecovered(text)).toBe(expected);
});

test("an approval without a person blocks the run, and validation reports everything at once", async () => {
  const { run } = recipeScene({
    r: recipe(
      "  - { id: ship, approval: 'Ship {{v}}?' }\n  - { id: after, command: 'true' }\n",
      "inputs: { v: { type: number } }",
    ),
    v: recipe(
      "  - { id: a, command: 'true' }\n",
      "context_validation: { a: nonempty, b: path, c: git_repo, d: odd }\ninputs: { n: { type: number } }\ncontext: { n: x }",
    ),
  });
  const blocked = await run("r", { context: { v: "3" } });
  expect([blocked.end, blocked.statuses, blocked.errors]).toEqual([
    "blocked",
    { ship: "blocked" },
    { ship: "needs approval: Ship 3?" },
  ]);
  expect((await run("r", { context: { v: 3 }, ask: async () => true })).end).toBe("completed");
  const invalid = await run("v");
  expect(invalid.statuses).toEqual({ "preflight-validation": "failed" });
  expect(invalid.errors["preflight-validation"]?.split("; ")).toHaveLength(4);
});

test("a command that the guard denies does not run", async () => {
  const { run } = recipeScene({ r: recipe("  - { id: a, command: 'sudo {{what}}' }\n", "context: { what: ls }") });
  const { errors } = await run("r");
  expect(errors["a"]).toMatch(/^Blocked `sudo ls`: .*rule/);
});

test("a step that prints more than 10 MB keeps the beginning", async () => {
  const { run } = recipeScene({ r: recipe("  - { id: a, command: yes x | head -c 30000000, output: x }\n") });
  const { context } = await run("r");
  expect(String(context["x"]).length).toBe(9_999_999);
});
