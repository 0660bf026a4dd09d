import { expect, test } from "vitest";
import { isUserError } from "../../lib/text/user-error.ts";
import { readSettings, type SettingsOwner } from "./settings-files.ts";

const FILE = "s.yaml";

function mistake(text: string, owner: SettingsOwner = "user") {
  try {
    readSettings(text, FILE, owner);
  } catch (error) {
    if (isUserError(error)) return { message: error.message, where: error.where, fix: error.fix };
    throw error;
  }
  throw new Error("the settings were accepted");
}

test("every setting is read, and nothing is filled in", () => {
  const text = `# mine
version: 1
model: anthropic/claude-haiku-4-5
effort: high
base_url: https://proxy.example/v1
skills:
  directories: [~/skills]
  disabled: [deploy]
engine:
  turns: 50
  tries: 2
`;
  expect(readSettings(text, FILE, "user")).toEqual({
    model: "anthropic/claude-haiku-4-5",
    effort: "high",
    base_url: "https://proxy.example/v1",
    skills: { directories: ["~/skills"], disabled: ["deploy"] },
    engine: { turns: 50, tries: 2 },
  });
});

test.each(["", "# nothing\n", "version: 1\n", "engine: {}\n", "{}"])("%j sets nothing", (text) => {
  expect(readSettings(text, FILE, "project")).toEqual({ engine: {} });
});

test.each([
  ["an unknown setting", "version: 1\nmodle: a/b\n", 'unknown setting "modle"', "s.yaml:2", "did you mean model?"],
  ["an unknown limit", "engine:\n  turn: 5\n", 'unknown setting "engine.turn"', "s.yaml:2", "did you mean turns?"],
  [
    "a key of JavaScript",
    "__proto__: { turns: 1 }\n",
    'unknown setting "__proto__"',
    "s.yaml:1",
    /^the names here are/,
  ],
  ["a strange name", "zzzzzzzz: 1\n", 'unknown setting "zzzzzzzz"', "s.yaml:1", /^the names here are version, model/],
  ["a limit that is none", "engine:\n  turns: many\n", /engine\.turns: expected/, "s.yaml:2", /docs\/models\.md/],
  [
    "a wait before there is anything to wait for",
    "engine:\n  compact_at: 0.9\n  compact_wait_at: 0.5\n",
    /engine\.compact_wait_at: must be at least compact_at/,
    "s.yaml:3",
    /docs/,
  ],
  ["a limit of 0", "engine:\n  turns: 0\n", /engine\.turns/, "s.yaml:2", /docs/],
  ["an infinite limit", "engine:\n  turns: .inf\n", /cannot be used/, "s.yaml", /./],
  ["skills that are no list", "skills:\n  disabled: deploy\n", /skills\.disabled: expected/, "s.yaml:2", /docs/],
  ["an unknown effort", "effort: huge\n", /effort/, "s.yaml:1", /docs/],
  ["a list", "- model\n", /invalid/, "s.yaml:1", /docs/],
  ["a text", "model\n", /invalid/, "s.yaml:1", /docs/],
  ["a model that is a number", "model: 5\n", /model: expected string/, "s.yaml:1", /docs/],
  ["a key twice", "model: a/b\nmodel: c/d\n", /invalid YAML/, /^s\.yaml:2/, /./],
  ["broken YAML", "model: [\n", /invalid YAML/, /^s\.yaml:/, /./],
  ["a newer format", "version: 2\n", /written by a newer signalbox/, "s.yaml:1", "update signalbox"],
  ["an address without a model", "base_url: https://h.example\n", /base_url needs a model/, "s.yaml:1", /./],
])("%s is named with its place and what to do", (_, text, message, where, fix) => {
  const found = mistake(text);
  expect(found.message).toMatch(message);
  expect(found.where).toMatch(where);
  expect(found.fix).toMatch(fix);
});

test("a project cannot say where keys are sent", () => {
  expect(mistake("model: anthropic/m\nbase_url: https://thief.example/v1\n", "project")).toEqual({
    message: "a project cannot set base_url, because a repository must not choose where keys are sent",
    where: "s.yaml:2",
    fix: "remove it; to use another address, set it in ~/.signalbox/settings.yaml or pass --base-url",
  });
});

test.each([
  ["aliases that multiply", `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(200)}]\nc: [${"*b,".repeat(200)}]\n`],
  ["an alias of itself", "engine: &e { turns: *e }\n"],
  ["10,000 brackets", "[".repeat(10_000)],
  ["5 MB", `model: ${"x".repeat(5_000_000)}\n`],
])("%s are refused without harm", (_, text) => {
  expect(mistake(text).message).toMatch(/settings file/);
});
