import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { loadScript, parseScript, Script } from "./script.ts";

const plain = { thinking: "", shell: [], calls: [], usage: {}, delay_ms: 0, chunk_delay_ms: 0, failures: [] };

test("turns alone are one scene, and everything left out has its default", () => {
  expect(parseScript("turns: [{ text: hi }]", "s.yaml")).toEqual({
    side: "ok",
    scenes: [{ turns: [{ ...plain, text: "hi" }], after: { ...plain, text: "done" } }],
  });
});

test("a whole script is read from YAML and from JSON alike", async () => {
  const folder = tempFolder();
  const script = {
    side: "a title",
    after: { text: "enough" },
    scenes: [
      {
        when: { contains: "alpha" },
        turns: [
          {
            thinking: "hm",
            text: "now",
            shell: "ls",
            calls: [
              { name: "read", input: { path: "a" }, id: "r1" },
              { name: "patch", input: "free" },
            ],
            stop: "length",
            usage: { input: 10 },
            delay_ms: 5,
            chunk_delay_ms: 1,
            failures: [{ status: 529, body: { a: 1 }, headers: { "retry-after": "1" } }, { cut: 2 }, { hang: true }],
            expect: { contains: "a", not_contains: ["b"], tools: ["read"], matches: "^x" },
          },
        ],
        after: { text: "over" },
      },
      { turns: [{ text: "else" }] },
    ],
  };
  writeFileSync(join(folder, "s.json"), JSON.stringify(script));
  writeFileSync(join(folder, "s.yaml"), `# a comment\n${JSON.stringify(script, undefined, 2)}`);

  const loaded = loadScript(join(folder, "s.json"));

  expect(loaded).toEqual({
    side: "a title",
    scenes: [
      {
        when: { contains: "alpha" },
        turns: [
          {
            thinking: "hm",
            text: "now",
            shell: ["ls"],
            calls: [
              { name: "read", input: { path: "a" }, id: "r1" },
              { name: "patch", input: "free" },
            ],
            stop: "length",
            usage: { input: 10 },
            delay_ms: 5,
            chunk_delay_ms: 1,
            failures: [{ status: 529, body: { a: 1 }, headers: { "retry-after": "1" } }, { cut: 2 }, { hang: true }],
            expect: { contains: ["a"], not_contains: ["b"], tools: ["read"], matches: "^x" },
          },
        ],
        after: { ...plain, text: "over" },
      },
      { turns: [{ ...plain, text: "else" }], after: { ...plain, text: "enough" } },
    ],
  });
  expect(loadScript(join(folder, "s.yaml"))).toEqual(loaded);
  expect(Script.parse(loaded)).toEqual(loaded);
});

const turnKeys = "text, thinking, shell, calls, stop, usage, delay_ms, chunk_delay_ms, failures, expect";
const failureForms = "a failure is { status, body?, headers? } or { cut: N } or { hang: true }";

test.each([
  ["turns: [{ txt: a, text: b }]", `turns[0]: unknown key txt; the keys here are ${turnKeys}`],
  [
    "turns: [{ text: a }]\nside_text: b",
    "the top: unknown key side_text; the keys here are scenes, turns, after, side",
  ],
  [
    "scenes: [{ turns: [{ text: a }], when: { has: b } }]",
    "scenes[0].when.contains: Invalid input: expected string, received undefined",
  ],
  ["turns: [{}]", 'turns[0]: a turn needs text, thinking, shell or calls (text: "" for an empty answer)'],
  ["turns: []", "turns: Too small: expected array to have >=1 items"],
  ["side: a", "the top: a script has either `scenes` or `turns`"],
  ["{ turns: [{ text: a }], scenes: [{ turns: [{ text: a }] }] }", "the top: a script has either `scenes` or `turns`"],
  ["turns: [{ text: a, failures: [{ cut: 1, hang: true }] }]", `turns[0].failures[0]: ${failureForms}`],
  ["turns: [{ text: a, failures: [{ status: 500, headers: { 'a b': c } }] }]", `turns[0].failures[0]: ${failureForms}`],
  ["turns: [{ text: a, expect: { matches: '(' } }]", "turns[0].expect.matches: not a regular expression"],
  ["turns: [{ text: a, shell: 1 }]", "turns[0].shell: a text or a list of texts"],
  ["turns: [{ text: a, delay_ms: -1 }]", "turns[0].delay_ms: Too small: expected number to be >=0"],
  ["", "the top: Invalid input: expected object, received null"],
])("%s is refused with the place and the reason", (text, problem) => {
  expect(mistakeIn(() => parseScript(text, "s.yaml"))).toEqual({
    message: expect.stringContaining(`\n    ${problem}`),
    where: "s.yaml",
    fix: "fix these places; see docs/scripted-model.md for every key",
  });
});

test.each([
  ["a list that does not end", "turns: ["],
  ["a key given twice", "turns: a\nturns: b"],
  ["a few lines of aliases that stand for millions", `a: &a [x,x,x,x,x,x,x,x,x]\n${bomb()}`],
  ["a hundred thousand brackets", "[".repeat(100_000)],
])("%s is refused", (_, text) => {
  expect(mistakeIn(() => parseScript(text, "s.yaml"))).toEqual({
    message: expect.stringContaining("the script is neither YAML nor JSON: "),
    where: "s.yaml",
    fix: "fix the file at that position",
  });
});

test("a file that is not there is named, and a device is not read", () => {
  const file = join(tempFolder(), "none.yaml");
  expect(() => loadScript(file)).toThrowError(
    expect.objectContaining({
      message: `cannot read the script: ENOENT: no such file or directory, open '${file}'`,
      where: file,
      fix: "pass --script a YAML or JSON file",
    }),
  );
  expect(() => loadScript("/dev/zero")).toThrowError("cannot read the script: not a regular file");
});

/** Nine levels of nine aliases each. */
function bomb(): string {
  return Array.from("bcdefghij", (name, index) => `${name}: &${name} [${`*${"abcdefghi"[index]},`.repeat(9)}]`).join(
    "\n",
  );
}

function mistakeIn(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { message: error.message, where: error.where, fix: error.fix };
  }
}
