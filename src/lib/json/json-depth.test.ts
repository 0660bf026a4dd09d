import { expect, test } from "vitest";
import { jsonDepth } from "./parse-json.ts";

test.each([
  ["1", 0],
  ["{}", 1],
  ['{"a":[{"b":1}],"c":[]}', 3],
  ['"[[[["', 0],
  ['{"a\\"[":"\\\\"}', 1],
  ["[".repeat(100_000), 100_000],
  ["]]]][", -3],
])("%j nests %d deep", (text, depth) => {
  expect(jsonDepth(text)).toBe(Math.max(depth, 0));
});
