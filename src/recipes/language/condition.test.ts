import { expect, test } from "vitest";
import { ConditionError, holds, parseCondition } from "./condition.ts";

const CONTEXT = {
  a: 5,
  b: "10",
  name: "hello",
  flag: true,
  no: "false",
  empty: "",
  zero: 0,
  nothing: null,
  items: ["a", "b", "c"],
  "my-name": "x",
  config: { db: { port: 5432 }, "odd key": 1, debug: true },
  said: "it is 'done'",
};

test.each([
  "a == 5",
  "a == '5'",
  "b == 10",
  "a != b",
  "a < b",
  "b >= 10",
  "-1 < a",
  "name == 'hello' and flag",
  "empty or flag",
  "flag || missing",
  "flag && not empty",
  "not missing",
  "missing == nothing",
  "missing != ''",
  "no == false",
  "flag == 'True'",
  "'ell' in name",
  "'xyz' not in name",
  "'b' in items",
  "'db' in config",
  "config.db.port == 5432",
  "config['db'].port > 5000",
  "config['odd key'] == 1",
  "items[0] == 'a' and items[-1] == 'c'",
  "items == ['a', 'b', 'c',]",
  "my-name == 'x'",
  "(a == 5 or a == 6) and not (zero or empty)",
  "int('42') == 42 and float('3.14') > 3",
  "str(42) == '42'",
  "len(items) == 3 and len(name) == 5 and len('') == 0",
  "min(a, b) == 5 and max(a, b, 7) == 10",
  "bool(1) and not bool('')",
  "' x '.strip() == 'x' and ' x'.lstrip() == 'x' and 'x '.rstrip() == 'x'",
  "name.upper().lower() == name and 'hello world'.title() == 'Hello World'",
  "name.startswith('he') and name.endswith('lo')",
  "name.replace('l', 'r') == 'herro' and name.count('l') == 2 and name.find('ll') == 2",
  "len('a,b,c'.split(',')) == 3 and ','.join(items) == 'a,b,c'",
  "missing.lower() == ''",
  "'done' in '{{said}}'",
  "{{config.db.port}} == 5432",
  "'port 5432' in 'port {{config.db.port}}'",
  "'it\\'s' == \"it's\"",
  "flag or int('not a number')",
])("%s holds", (condition) => {
  expect(holds(condition, CONTEXT)).toBe(true);
});

test.each([
  "a == 6",
  "missing",
  "zero",
  "empty",
  "nothing.field.other == 1",
  "nothing < 5",
  "'x' in nothing",
  "not flag",
])("%s does not hold", (condition) => {
  expect(holds(condition, CONTEXT)).toBe(false);
});

test.each([
  ["a == 5 garbage", "unexpected 'garbage' after the end (at position 8)"],
  ["a == 5; rm", "unexpected ';' (at position 7)"],
  ["1 < a < 9", "comparisons cannot be chained; join them with 'and' (at position 7)"],
  ["a ==", "the condition is incomplete (at position 5)"],
  ["", "the condition is incomplete (at position 1)"],
  ["(a == 5", "expected ')' (at position 8)"],
  ["[1, 2", "expected ']' (at position 6)"],
  ["'open", "a text without a closing quote (at position 1)"],
  ["a = 5", "unexpected '=' (at position 3)"],
  ["__proto__", "unsafe name '__proto__': '__' is not allowed (at position 1)"],
  ["a.__class__", "unsafe name '__class__': '__' is not allowed (at position 3)"],
  ["{{__proto__.x}}", "unsafe name '__proto__.x': '__' is not allowed (at position 1)"],
  ["eval('1')", "unknown function 'eval' (at position 1)"],
  ["constructor('1')", "unknown function 'constructor' (at position 1)"],
  ["a.toString()", "unknown method 'toString' (at position 3)"],
  ["and", "unexpected 'and' (at position 1)"],
  ["a.", "expected a field after '.' (at position 3)"],
  [`${"(".repeat(33)}a${")".repeat(33)}`, "nested more than 32 levels deep (at position 34)"],
  [`${"not ".repeat(40)}a`, "nested more than 32 levels deep (at position 133)"],
  [`a == '${"x".repeat(8192)}'`, "a condition may have at most 8192 bytes (at position 8192)"],
])("%s cannot be parsed", (condition, message) => {
  expect(() => parseCondition(condition)).toThrow(ConditionError);
  expect(() => parseCondition(condition)).toThrow(message);
});

test.each([
  ["int('x')", 'int() needs a number, not "x" (at position 1)'],
  ["int(missing)", "int() needs a number, not nothing (at position 1)"],
  ["min(1)", "min() needs two values or more (at position 1)"],
  ["items.upper()", "upper() works on text, not on a list (at position 7)"],
  ["config['__proto__']", "unsafe name '__proto__': '__' is not allowed (at position 8)"],
  ["name.split('')", "split() needs a separator that is not empty (at position 6)"],
  ["','.join(name)", "join() needs a list (at position 5)"],
])("%s cannot be evaluated", (condition, message) => {
  expect(() => holds(condition, CONTEXT)).toThrow(message);
});

test("a value never becomes part of a condition", () => {
  expect(holds("'{{said}}' == 'x'", { said: "x' or 'a' == 'a" })).toBe(false);
});

test("a limit of 32 levels and 8192 bytes is inclusive", () => {
  expect(holds(`${"(".repeat(32)}a${")".repeat(32)}`, CONTEXT)).toBe(true);
  expect(holds(`'${"x".repeat(8190)}'`, CONTEXT)).toBe(true);
});
