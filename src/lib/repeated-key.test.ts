import { expect, test } from "vitest";
import { repeatedKey } from "./repeated-key.ts";

test.each([
  ["{}", undefined],
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
  ['{"a":1,"a":2}', "a"],
  ['{"a":{"x":[{}]},"b":1,"a" : 2}', "a"],
  ['[{"b":{"c":1,"\\u0063":2}}]', "c"],
  ['{"a":"a","b":"{\\"b\\":1,\\"b\\":2}"}', undefined],
  ['["a","a"]', undefined],
  ['{"a\\\\":1,"a\\"":2}', undefined],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
])("%s repeats %s", (text, key) => {
  expect(repeatedKey(text)).toBe(key);
});

test("a long string is no trouble", () => {
  expect(repeatedKey(JSON.stringify({ a: '\\"'.repeat(500_000) }))).toBeUndefined();
});
