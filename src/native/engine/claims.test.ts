import { expect, test } from "vitest";
import { admitsGap, claimedFiles, claimsChange, claimsChecksPass } from "./effort-gate.ts";

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
