import { expect, test } from "vitest";
import { isUserError } from "../../lib/text/user-error.ts";
import { extendRecipe } from "./load-recipe.ts";
import { planSteps } from "./plan-steps.ts";
import { readRecipe } from "./read-recipe.ts";

const read = (text: string) => readRecipe(text, "r.yaml");
const steps = (text: string) => read(`name: r\nsteps:\n${text}`).recipe.steps;

function problem(text: string): string {
  try {
    read(text);
    return "none";
  } catch (error) {
    if (!isUserError(error)) throw error;
    expect(error.exitCode).toBe(2);
    return `${error.where}: ${error.message}`;
  }
}

test("the type of a step follows from its fields", () => {
  const found = steps(`
  - { id: a, command: x }
  - { id: b, agent: core:x, prompt: p }
  - { id: c, prompt: p }
  - { id: d, recipe: other }
  - { id: e, prompt: p, command: x }
  - { id: f, type: bash, command: x, agent: y }
  - { id: g, approval: Ship it? }
`);
  expect(found.map(({ type }) => type)).toEqual(["bash", "agent", "agent", "recipe", "bash", "bash", "approval"]);
});

test("the three ways to say that a failure is not fatal", () => {
  const found = steps(`
  - { id: a, command: x, continue_on_error: true }
  - { id: b, command: x, nonfatal: true }
  - { id: c, command: x, fatal: false }
  - { id: d, command: x, fatal: true, continue_on_error: false }
`);
  expect(found.map(({ isFatal }) => isFatal)).toEqual([false, false, false, true]);
});

test("unknown fields are reported with their place and the nearest name", () => {
  const { warnings, recipe } = read(
    "name: r\ndescripton: x\nsteps:\n  - id: a\n    recipe: b\n    sub_context: { x: 1 }\n    timout: 5\n    outputs: [x]\n  - { id: c, command: x, depends_on: [a] }\n",
  );
  expect(warnings).toEqual([
    "r.yaml:2: unknown field 'descripton' (did you mean 'description'?); it has no effect",
    "r.yaml:7: unknown field 'timout' (did you mean 'timeout'?); it has no effect",
    "r.yaml:8: the field 'outputs' has no effect here",
    "r.yaml:4: 'sub_context' is read as 'context'",
    "r.yaml:9: 'depends_on' is read as 'needs'",
  ]);
  expect([recipe.steps[0]?.context, recipe.steps[1]?.needs]).toEqual([{ x: 1 }, ["a"]]);
});

test.each([
  ["name: r\nsteps: []", "r.yaml:2: the recipe is invalid: steps: must have at least one step"],
  ["steps:\n  - { id: a, command: x }", "r.yaml:1: the recipe is invalid: name: "],
  ["name: ' '\nsteps:\n  - { id: a, command: x }", "r.yaml:1: the recipe is invalid: name: is empty"],
  ["name: r\nsteps:\n  - { id: ../x, command: x }", "r.yaml:3: the recipe is invalid: steps.0.id: may contain"],
  [
    "name: r\nsteps:\n  - { id: a..b, command: x }",
    "r.yaml:3: the recipe is invalid: steps.0.id: may not contain '..'",
  ],
  ["name: r\nsteps:\n  - { id: a }", "r.yaml:3: the step 'a' is invalid: a step of type bash needs 'command'"],
  ["name: r\nsteps:\n  - { id: a, type: shell }", "r.yaml:3: the recipe is invalid: steps.0.type: "],
  ["name: r\nname: s\nsteps: []", "r.yaml:2:1: the recipe is invalid YAML: Map keys must be unique"],
  ["name: r\nsteps:\n\t- id: a", "r.yaml:3:1: the recipe is invalid YAML: Tabs are not allowed as indentation"],
  ["name: [", "r.yaml:1:8: the recipe is invalid YAML: "],
  ["just text", "r.yaml: the recipe is not a map"],
  ["name: r\ncontext: { __proto__: { x: 1 } }\nsteps:\n  - { id: a, command: x }", "may not be __proto__"],
  ["name: r\nsteps:\n  - { id: a, command: x, output: __proto__ }", "may not be __proto__"],
  ["name: r\nsteps:\n  - { id: a, command: x, output: 'a b' }", "may contain letters, digits"],
  ["name: r\nsteps:\n  - { id: a, command: x, timeout: -1 }", "must be 0 or more"],
  ["name: r\nsteps:\n  - { id: a, command: x, retry: { times: 1000 } }", "steps.0.retry"],
  [
    `name: r\nsteps:\n  - { id: a, command: ${"x".repeat(1_000_000)} }`,
    "r.yaml: the recipe is larger than 1000000 bytes",
  ],
  [`a: ${"[".repeat(5000)}`, "r.yaml: the recipe is nested more than 64 levels deep"],
  [Array.from({ length: 100 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"), "nested more than 64 levels deep"],
  [`${"- ".repeat(100)}a`, "nested more than 64 levels deep"],
  [bomb(), "the recipe cannot be used"],
])("%.60s is refused", (text, because) => {
  expect(problem(text)).toContain(because);
});

/** Nine levels of nine aliases each. */
function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 9; level++) {
    const inner = Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ");
    lines.push(`a${level}: &a${level} [${inner}]`);
  }
  return `name: r\n${lines.join("\n")}\nsteps:\n  - { id: a, command: x }\n`;
}

test("a few anchors are fine", () => {
  const found = steps("  - { id: a, command: x, env: &e { A: '1' } }\n  - { id: b, command: x, env: *e }\n");
  expect(found.map(({ env }) => env)).toEqual([{ A: "1" }, { A: "1" }]);
});

test("inputs have types, defaults and a short form", () => {
  const { inputs } = read(
    "name: r\ninputs:\n  version: { type: string, description: d }\n  count: 3\nparameters: [ { name: old, default: x } ]\nsteps:\n  - { id: a, command: x }\n",
  ).recipe;
  expect(inputs).toEqual({
    old: { type: "string", required: false, default: "x", description: "", options: [] },
    version: { type: "string", required: true, default: undefined, description: "d", options: [] },
    count: { type: "number", required: false, default: 3, description: "", options: [] },
  });
});

test("a recipe inherits steps, context, tags, limits and hooks", () => {
  const parent = read(
    "name: base\ntags: [z, a]\ncontext: { a: 1, b: 1 }\nrecursion: { max_depth: 3 }\nhooks: { pre_step: p, post_step: q }\nsteps:\n  - { id: first, command: x }\n",
  ).recipe;
  const child = read(
    "name: child\nextends: base\ntags: [m]\ncontext: { b: 2 }\nhooks: { post_step: own }\nsteps:\n  - { id: second, command: x }\n",
  ).recipe;
  const whole = extendRecipe(child, () => parent);
  expect(whole.steps.map(({ id }) => id)).toEqual(["first", "second"]);
  expect([whole.context, whole.tags, whole.recursion.maxDepth]).toEqual([{ a: 1, b: 2 }, ["a", "m", "z"], 3]);
  expect(whole.hooks).toEqual({ preStep: "p", postStep: "own", onError: undefined });
});

test("recipes that extend each other are refused", () => {
  const one = read("name: one\nextends: two\nsteps:\n  - { id: a, command: x }\n").recipe;
  const two = read("name: two\nextends: one\nsteps:\n  - { id: b, command: x }\n").recipe;
  expect(() => extendRecipe(one, (name) => (name === "two" ? two : one))).toThrow(
    "recipes extend each other: one → two → one",
  );
});

const order = (text: string) =>
  planSteps(read(`name: r\nsteps:\n${text}`).recipe).map(({ step, after }) => [step.id, ...after]);

test("steps wait for everything before them, groups for what is before the group, needs for what they name", () => {
  expect(
    order(`
  - { id: a, command: x }
  - { id: b, command: x, parallel_group: g }
  - { id: c, command: x, parallel_group: g }
  - { id: d, command: x }
  - { id: e, command: x, needs: [] }
  - { id: f, command: x, needs: [b] }
`),
  ).toEqual([["a"], ["b", 0], ["c", 0], ["d", 0, 1, 2], ["e"], ["f", 0, 1]]);
});

test.each([
  ["  - { id: a, command: x }\n  - { id: a, command: x }\n", "two steps have the id 'a'"],
  ["  - { id: a, command: x, needs: [b] }\n", "the step 'a' needs 'b', which does not exist"],
  ["  - { id: a, command: x, needs: [a] }\n", "these steps wait for each other: a → a"],
  ["  - { id: a, command: x, needs: [b] }\n  - { id: b, command: x }\n", "these steps wait for each other: a → b → a"],
])("an impossible order is refused: %s", (text, because) => {
  expect(() => order(text)).toThrow(because);
});

test("a thousand steps are planned at once", () => {
  const many = Array.from({ length: 1000 }, (_, index) => `  - { id: s${index}, command: x }\n`).join("");
  expect(order(many).at(-1)).toHaveLength(1000);
});
