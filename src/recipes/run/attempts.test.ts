import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeScene } from "../../../test/support/recipe-scene.ts";
import { NO_JOURNAL } from "./journal.ts";

test("an attempt is told its number, and why the one before failed", async () => {
  const { run, read } = recipeScene({
    r: `name: r
steps:
  - { id: direct, command: "printf '%s\\n' {{attempt}} {{failure}} >> told; echo out; echo err >&2; [ {{attempt}} = 2 ]", retry: 2 }
  - { id: sub, recipe: inner, retry: 1 }
`,
    inner: `name: inner
steps:
  - { id: ask, prompt: "before: {{failure}}", output: answer }
  - { id: gate, command: "echo the gate says no; [ {{attempt}} = 2 ]" }
`,
  });
  const { end, prompts, context } = await run("r");
  expect([end, read("told")]).toEqual(["completed", "1\n\n2\nexit code 1: err\nout\n"]);
  expect(prompts.map(({ prompt }) => prompt)).toEqual(["before: ", "before: gate: exit code 1\nthe gate says no"]);
  expect(Object.keys(context)).toEqual(["answer"]);
});

test("after a crash, a second attempt at a sub-recipe does not take the results of the first", async () => {
  const { run, read } = recipeScene({
    r: "name: r\nsteps:\n  - { id: sub, recipe: inner, retry: 1 }\n",
    inner: `name: inner
steps:
  - { id: work, command: "echo {{attempt}} >> work" }
  - { id: gate, command: "[ {{attempt}} = 2 ]" }
`,
  });
  const done = { step_id: "work", status: "completed", output: "", error: "", duration: 0 } as const;
  const finished = (key: string) => (key === "sub/work" ? { result: done, values: {} } : undefined);
  const { end } = await run("r", { journal: { ...NO_JOURNAL, finished } });
  expect([end, read("work")]).toEqual(["completed", "2\n"]);
});

test("the checks of an agent step are commands of the recipe: templates, a failure with its output, and the guard", async () => {
  const { run, workspace } = recipeScene({
    r: `name: r
context: { wanted: "it's" }
steps:
  - { id: good, prompt: work, accept: ["[ {{wanted}} = \\"it's\\" ]"], backend: "co{{dex}}", output: text }
  - { id: bad, prompt: work, accept: ["echo why; exit 3"], retry: 1, fatal: false }
  - { id: denied, prompt: work, accept: ["touch ran; rm -rf /"], fatal: false }
`,
  });
  const { statuses, errors, prompts } = await run("r", { context: { dex: "dex" }, answer: () => "done" });
  expect(statuses).toEqual({ good: "completed", bad: "failed", denied: "failed" });
  expect([errors["bad"], errors["denied"]]).toEqual([
    "not accepted: 'echo why; exit 3' exit code 3",
    expect.stringMatching(/^not accepted: 'touch ran; rm -rf \/' Blocked/),
  ]);
  expect(existsSync(join(workspace, "ran"))).toBe(false);
  expect(prompts.map(({ backend }) => backend)).toEqual(["codex", undefined, undefined, undefined]);
});
