import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { parseJson } from "../../lib/json/parse-json.ts";
import { admitsGap, claimedFiles, claimsChange, claimsChecksPass, taskKinds } from "./effort-gate.ts";

test.each([
  "All tests pass.",
  "Fixed it. The tests are now passing.",
  "I ran the full test suite.",
  "- ✅ Tests\n- ✅ Docs",
  "42 tests passed",
  "42 passed\n0 failed",
  "2 tests failed before.\nAll tests pass.",
  "Fixed the test that failed.\nAll tests pass.",
  "The build succeeds and lint is clean.",
])("%j claims that checks pass", (text) => {
  expect(claimsChecksPass(text)).toBe(true);
});

test.each([
  "The tests do not pass yet.",
  "If the tests pass, merge it.",
  "Run npm test to make sure that the tests pass.",
  "The tests should pass now.",
  "Two tests fail.",
  "I passed the option to the builder.",
  "```\nAll tests pass\n```",
  "Do the tests pass?",
  "- 41 tests passed\n- 2 tests failed: add, sub",
  "41 passed\nFailed: 2",
  "- Lint is clean.\n- One test fails: add.",
])("%j claims nothing about checks", (text) => {
  expect(claimsChecksPass(text)).toBe(false);
});

test.each(["Done.", "I've added the flag.", "The bug is fixed.", "It now handles null.", "Renamed foo to bar."])(
  "%j claims a change",
  (text) => {
    expect(claimsChange(text)).toBe(true);
  },
);

test.each([
  "I would have added a flag.",
  "You can add it like this:\n```\nDone\n```",
  "The parser reads a file and returns a tree.",
  "3",
  "It has not been fixed.",
])("%j claims no change", (text) => {
  expect(claimsChange(text)).toBe(false);
});

test("new files are named only where the answer says that they were created", () => {
  expect(claimedFiles("I created `src/a.test.ts` and changed `src/b.ts`.")).toEqual(["src/a.test.ts"]);
  expect(claimedFiles("I added a new file `docs/a.md`.\nI could have created `x.md`.")).toEqual(["docs/a.md"]);
  expect(claimedFiles("Created `a` and read `b.ts`.")).toEqual([]);
});

test.each([
  "I could not run the tests.",
  "No change: the docs are right.",
  "**Not run:** there is no network.",
  "The function already handles null.",
  "There is no such file.",
  "Which of the two do you mean?",
  "The command was denied.",
  "I have not run the tests.",
])("%j admits a gap", (text) => {
  expect(admitsGap(text)).toBe(true);
});

test.each(["Done.", "Fixed. I did not touch anything else.", "All tests pass.", "I changed a.ts and b.ts."])(
  "%j admits nothing",
  (text) => {
    expect(admitsGap(text)).toBe(false);
  },
);

test("a megabyte of anything is read in no time", () => {
  const started = performance.now();
  for (const text of ["tests ".repeat(200_000), "created `".repeat(100_000), "not ".repeat(250_000)])
    for (const read of [admitsGap, claimedFiles, claimsChange, claimsChecksPass]) read(text);
  expect(performance.now() - started).toBeLessThan(2_000);
});

const Task = z.object({ task: z.string(), kinds: z.array(z.enum(["some-change", "run", "review"])) });

/** Tasks and questions as people type them, with what they ask for; questions ask for nothing that can be counted. */
const TASKS = readFileSync(new URL("../../../test/fixtures/effort/tasks.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => Task.parse(parseJson(line)));

for (const { task, kinds } of TASKS) {
  test(`${JSON.stringify(task)} asks for ${kinds.join() || "nothing that can be counted"}`, () => {
    const found = taskKinds(task);
    if (kinds.length === 0)
      expect([found.has("change"), found.has("run"), found.has("review")]).toEqual([false, false, false]);
    else if (kinds.includes("some-change")) expect(found.has("run") || found.has("review")).toBe(false);
    else expect([...found]).toEqual(kinds);
  });
}

test("most changes are recognised, and few questions may be one", () => {
  const changes = TASKS.filter(({ kinds }) => kinds.includes("some-change"));
  const questions = TASKS.filter(({ kinds }) => kinds.length === 0);
  const missed = changes.flatMap(({ task }) => (taskKinds(task).size === 0 ? [task] : []));
  const doubtful = questions.filter(({ task }) => taskKinds(task).has("maybe-change"));
  process.stdout.write(
    `${changes.length} changes, ${missed.length} not recognised: ${missed.join(" | ")}\n${questions.length} questions, ${doubtful.length} that may be a change: ${doubtful.map(({ task }) => task).join(" | ")}\n`,
  );
  expect(missed.length / changes.length).toBeLessThan(0.1);
});

test("a megabyte of anything is read in no time", () => {
  const started = performance.now();
  for (const text of ["fix ".repeat(250_000), "a, ".repeat(300_000), "`".repeat(1_000_000), "<stdin>".repeat(100_000)])
    taskKinds(text);
  expect(performance.now() - started).toBeLessThan(1_000);
});
