import { expect, test } from "vitest";
import { describeChanges } from "./known-runs.ts";

test("the first fifty protected changes are named, the others are counted, and no path steers the terminal", () => {
  const changes = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ path: `a${at}\u001b`, because: "it is a floor" }));
  expect(describeChanges(changes(2))).toBe("  a0\\u{1b}: it is a floor\n  a1\\u{1b}: it is a floor");
  const lines = describeChanges(changes(53)).split("\n");
  expect([lines.length, lines[0], lines[49], lines[50]]).toEqual([
    51,
    "  a0\\u{1b}: it is a floor",
    "  a49\\u{1b}: it is a floor",
    "  and 3 more",
  ]);
});
