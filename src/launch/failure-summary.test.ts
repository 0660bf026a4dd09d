import { expect, test } from "vitest";
import { failureSummary } from "./failure-summary.ts";

test.each([
  ["vitest", " Test Files  1 failed (1)\n      Tests  2 failed | 116 passed (118)\n", "2 of 118 failed"],
  ["jest", "Tests:       2 failed, 116 passed, 118 total\nTime: 3 s\n", "2 of 118 failed"],
  ["pytest", "=========== 2 failed, 116 passed in 1.20s ===========", "2 of 118 failed"],
  ["cargo", "test result: FAILED. 116 passed; 2 failed; 0 ignored; 0 measured", "2 of 118 failed"],
  ["node", "# tests 118\n# suites 0\n# pass 116\n# fail 2\n# cancelled 0", "2 of 118 failed"],
  ["a runner that says of how many", "3 of 4 failed\n", "3 of 4 failed"],
  ["a runner that counts with a slash", "3/4 tests failed in 2 s\n", "3 of 4 failed"],
  ["a runner of whose tests none failed", "0 of 4 failed\n", undefined],
  ["only failures", "3 failures\n", "3 failed"],
  ["nothing to count", "error TS2322: no\n", undefined],
  ["no failure", "0 failed, 5 passed", undefined],
])("what %s prints is counted", (_, output, summary) => {
  expect(failureSummary(output)).toBe(summary);
});
