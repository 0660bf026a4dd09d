import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { recipeNamed } from "../recipe/find-recipe.ts";
import { loadRecipe } from "../recipe/load-recipe.ts";
import type { Context } from "../recipe/recipe.ts";
import { agentSteps, checkFields, refuseAddresses, runnerArgv, wholeRecipe } from "./runner-context.ts";

function whole(files: Readonly<Record<string, string>>) {
  const path = tempFolder();
  for (const [name, steps] of Object.entries(files))
    writeFileSync(join(path, `${name}.yaml`), `name: ${name}\n${steps}\n`);
  const folders = [{ path, origin: "flag" }] as const;
  const load = (name: string) => loadRecipe(recipeNamed(name, folders), folders);
  return wholeRecipe(load("first"), load);
}

const step = (fields: string) => `steps:\n  - { id: a, ${fields} }`;

test("all recipes that a recipe runs are found, in circles too, and the steps in them that start an agent", () => {
  const recipes = whole({
    first: `${step("recipe: second")}\n  - { id: b, recipe: third }`,
    second: step("recipe: first"),
    third: `${step("prompt: Plan")}\n  - { id: fix, command: make, recovery_on_failure: true }`,
  });
  expect(recipes.map(({ recipe }) => recipe.name)).toEqual(["first", "second", "third"]);
  expect(agentSteps(recipes)).toEqual(["a", "fix"]);
  expect(() => whole({ first: step("recipe: missing") })).toThrow("there is no recipe 'missing'");
});

test.each([
  [step("approval: Really?"), "a: approval"],
  [step("command: make, accept: [make test]"), "a: accept"],
  [step("command: make, for_each: [1, 2]"), "a: for_each"],
  [`accept: [make test]\n${step("command: make")}`, "accept"],
])("%j is refused", (text, field) => {
  expect(() => checkFields(whole({ first: text }), () => {})).toThrow(`does not know these fields: ${field}`);
});

test("fields without which a recipe still does its work are reported", () => {
  const warnings: string[] = [];
  const fields = "command: make, retry: { times: 2 }, env: { A: b }, contained: false";
  checkFields(whole({ first: `budget: { usd: 1 }\nenv: { B: c }\n${step(fields)}` }), (text) => warnings.push(text));
  checkFields(whole({ first: step("command: make") }), (text) => warnings.push(text));
  expect(warnings).toEqual([
    "warning: the external runner ignores these fields: a: retry, a: env, a: contained, env, budget: usd",
  ]);
});

const LARGE = { big: "é".repeat(16_384), other: "x".repeat(32_767) };

test.each([
  ["command: 'echo {{ big }}'", "a"],
  ["prompt: 'Do {{big.part}}'", "a"],
  ["command: 'echo \"$BIG\"'", "a"],
  ["command: 'echo $RECIPE_VAR_big'", "a"],
  ["command: make, condition: big != ''", "a"],
  ["recipe: second, context: { task: '{{big}}' }", "a"],
])("a large value is refused where %s would get its address", (fields, users) => {
  const recipes = whole({ first: step(fields), second: step("command: make") });
  expect(() => refuseAddresses(recipes, LARGE)).toThrow(
    `'big' has 32768 bytes. The external runner gets a value of that size as a file:// address, and these steps would get the address: ${users}`,
  );
});

test("a hook or a sub-recipe that takes it counts, a step that reads the address itself or another value does not", () => {
  const inner = whole({ first: step("recipe: second"), second: step("command: 'echo {{big}}'") });
  expect(() => refuseAddresses(inner, LARGE)).toThrow("the address: a");
  const hook = whole({ first: `hooks: { pre_step: 'echo {{big}}' }\n${step("command: make")}` });
  expect(() => refuseAddresses(hook, LARGE)).toThrow("the address: hooks or context");
  for (const command of ["cat ${RECIPE_VAR_big#file://}", "echo {{other}} {{bigger}} big"])
    expect(() => refuseAddresses(whole({ first: step(`command: '${command}'`) }), LARGE)).not.toThrow();
});

test("a value with NUL cannot be passed", () => {
  const options = {
    workingDir: "/",
    stepTimeout: undefined,
    includeTags: [],
    excludeTags: ["slow", "net"],
    autoStage: true,
    isDryRun: true,
  };
  const argv = (context: Context) =>
    runnerArgv("/r.yaml", options, context, { recipes: "/recipes", spill: (value) => value });
  expect(() => argv({ x: "a\0b" })).toThrow("the value of 'x' has a NUL character");
  expect(argv({ x: null }).slice(5)).toEqual([
    "--progress",
    "--dry-run",
    "--exclude-tags",
    "slow,net",
    "-R",
    "/recipes",
    "--set",
    "x=null",
  ]);
});
