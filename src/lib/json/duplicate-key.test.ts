import { expect, test } from "vitest";
import { duplicateKey } from "./parse-json.ts";

test("a key that appears twice in one object is found, however it is written and however deep", () => {
  expect(duplicateKey('{"a":1,"a":2}')).toBe("a");
  expect(duplicateKey('{"a":{"b":[{"c":1 , "\\u0063" : 2}]}}')).toBe("c");
  expect(duplicateKey('{"x":"a\\"","a":"}","a" :1}')).toBe("a");
});

test("the same key in different objects, and keys that are only text, are none", () => {
  expect(duplicateKey('{"a":{"a":1},"b":[{"a":1},{"a":"a"}],"c":"\\"a\\":1,\\"a\\":"}')).toBeUndefined();
  expect(duplicateKey('["a","a"]')).toBeUndefined();
});

test("texts that are no JSON end too", () => {
  expect(duplicateKey('{"a')).toBeUndefined();
  expect(duplicateKey("}}]]{")).toBeUndefined();
  expect(duplicateKey("")).toBeUndefined();
});

test.each([
  ["{}", undefined],
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
  ['{"a":{"x":[{}]},"b":1,"a" : 2}', "a"],
  ['{"a":"a","b":"{\\"b\\":1,\\"b\\":2}"}', undefined],
  ['{"a\\\\":1,"a\\"":2}', undefined],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
])("%s has %s twice", (text, key) => {
  expect(duplicateKey(text)).toBe(key);
});

test("a long string is no trouble", () => {
  expect(duplicateKey(JSON.stringify({ a: '\\"'.repeat(500_000) }))).toBeUndefined();
});
