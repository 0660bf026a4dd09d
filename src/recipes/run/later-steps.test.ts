import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeScene } from "../../../test/support/recipe-scene.ts";

const recipe = (steps: string) => `name: r\nsteps:\n${steps}`;

test("what a step printed before it failed reaches later steps, if it may fail", async () => {
  const { run } = recipeScene({
    r: recipe(`
  - { id: tests, command: "echo '2 of 9 failed'; exit 1", continue_on_error: true, output: t }
  - { id: json, command: "echo 'Found: {\\"n\\": [{\\"id\\": 7}]}'; exit 1", parse_json: true, fatal: false, output: j }
  - { id: each, command: "echo {{item}}; [ {{item}} != b ]", for_each: [a, b, c], continue_on_error: true, output: all }
  - { id: fix, prompt: "Fix {{t}}: {{j.n[0].id}} {{all}}" }
  - { id: stops, command: "echo {{item}}; [ {{item}} != b ]", for_each: [a, b, c], output: none }
`),
  });
  const { prompts, statuses, errors, result, context } = await run("r");
  expect(prompts.map(({ prompt }) => prompt)).toEqual(['Fix 2 of 9 failed: 7 ["a","b","c"]']);
  expect(statuses).toEqual({ tests: "failed", json: "failed", each: "failed", fix: "completed", stops: "failed" });
  expect([errors["each"], errors["stops"]]).toEqual(["item 1: exit code 1", "item 1: exit code 1"]);
  expect([result.step_results.at(-1)?.output, context["none"]]).toEqual(["b", undefined]);
});

test("a path through objects and lists has the same value in commands, prompts and conditions", async () => {
  const value = JSON.stringify({ a: [{ b: "x" }, { b: "$(touch ran); y", "c d": [1, 2] }] });
  const { run, workspace } = recipeScene({
    r: JSON.stringify({
      name: "r",
      steps: [
        { id: "f", command: `echo '${value}'`, output: "f" },
        { id: "plain", command: "echo {{f.a[1].b}}", output: "plain" },
        { id: "single", command: "echo 'is {{f.a[-1].b}}'", output: "single" },
        { id: "document", command: "cat <<'EOF'\n{{f.a.1.b}} {{f.a[1]['c d'][0]}}\nEOF", output: "document" },
        {
          id: "holds",
          condition: "f.a[1].b == '{{f.a[1].b}}' and {{f.a[0].b}} == 'x' and f.a.0.b == 'x'",
          command: "echo yes",
          output: "holds",
        },
        { id: "ask", prompt: "{{f.a[1].b}} {{f['a'][0].b}} {{f.a[7].b}}", output: "said" },
      ],
    }),
  });
  const { context, prompts, events } = await run("r");
  expect(context).toEqual({
    f: JSON.parse(value),
    plain: "$(touch ran); y",
    single: "is $(touch ran); y",
    document: "$(touch ran); y 1",
    holds: "yes",
    said: "",
  });
  expect(prompts.map(({ prompt }) => prompt)).toEqual(["$(touch ran); y x "]);
  expect(events).toContainEqual({ type: "warning", message: "ask: {{f.a[7].b}} has no value and becomes empty" });
  expect(existsSync(join(workspace, "ran"))).toBe(false);
});
