import { expect, test } from "vitest";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { exactJson, floatToken, parseExactJson, readNumberToken } from "./exact-json.ts";

test.each([
  ["1", "1"],
  ["1.0", "1.0"],
  ["1e0", "1.0"],
  ["1E3", "1000.0"],
  ["-0", "-0.0"],
  ["0", "0"],
  ["0.50", "0.5"],
  ["1e-5", "0.00001"],
  ["1e-6", "1e-6"],
  ["9999999999999998.0", "9999999999999998.0"],
  ["1e16", "1e+16"],
  ["123456789e13", "1.23456789e+21"],
  ["9007199254740993", "9007199254740993"],
  ["18446744073709551615", "18446744073709551615"],
  ["18446744073709551616", "1.8446744073709552e+19"],
  ["-9223372036854775808", "-9223372036854775808"],
  ["-9223372036854775809", "-9.223372036854776e+18"],
  ["5e-324", "5e-324"],
  ["1e-400", "0.0"],
])("the number %s is written %s", (token, written) => {
  expect(exactJson(parseExactJson(`{"n":[${token}]}`))).toBe(`{"n":[${written}]}`);
});

test.each([
  ["", "not valid JSON"],
  ["{", "not valid JSON at position 1"],
  ["01", "not valid JSON at position 1"],
  ["\ufeff1", "not valid JSON"],
  ['{"a":1} x', "not valid JSON at position 8"],
  ["[1e400]", "a number is out of range"],
  ['["\\ud83d"]', "unpaired surrogate in a string"],
  ['{"\\udc00":1}', "unpaired surrogate in a string"],
  ["[".repeat(200_000), "nested more than 127 levels deep"],
])("%#: what is no exact JSON is refused, and the message quotes nothing of it", (text, message) => {
  expect(() => parseExactJson(text)).toThrow(new SyntaxError(message));
});

test("a secret in broken JSON does not reach the message", () => {
  expect(() => parseExactJson('{"key": hunter2hunter2}')).toThrow(/^not valid JSON(?: at position 8)?$/);
});

test("keys are sorted by their bytes, not by their code units, and __proto__ is a key like others", () => {
  const text = '{"\u{1f600}":1,"\uffff":2,"__proto__":3,"a":4,"B":5,"é":6}';
  expect(exactJson(parseExactJson(text))).toBe('{"B":5,"__proto__":3,"a":4,"é":6,"\uffff":2,"\u{1f600}":1}');
});

test("an escaped key is read as itself, also after one that the engine takes it for", () => {
  parseExactJson('{"exact":1,"\\\\":1}');
  expect(exactJson(parseExactJson('{"exact":1,"\\u0000":1}'))).toBe('{"\\u0000":1,"exact":1}');
  expect(exactJson(parseExactJson('{"exact":1.0,"\\u0000":1}'))).toBe('{"\\u0000":1,"exact":1.0}');
});

test("what this process made is written as if it had been read", () => {
  expect(exactJson({ b: undefined, a: [1, 0.5, -0, 1e21, 2 ** 53, Number.NaN], c: "\ud800", d: true })).toBe(
    '{"a":[1,0.5,0,1e+21,9007199254740992,null],"c":"\ufffd","d":true}',
  );
});

test("a thousand random values have one text, whatever their blanks and the order of their keys", () => {
  const random = seededRandom(11);
  for (let round = 0; round < 1000; round++) {
    const value = randomValue(random, 0);
    const text = exactJson(value);
    expect(exactJson(parseExactJson(text))).toBe(text);
    expect(exactJson(parseExactJson(JSON.stringify(parseExactJson(text), undefined, 2)))).toBe(text);
  }
});

test("ten thousand random floats come back as they were", () => {
  const random = seededRandom(12);
  for (let round = 0; round < 10_000; round++) {
    const value = randomFloat(random);
    const token = floatToken(value);
    expect(Number(token)).toBe(value);
    expect(token).toMatch(/^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/);
    expect(/[.e]/.test(token)).toBe(true);
    expect(exactJson(readNumberToken(token))).toBe(token);
  }
});

test("twenty thousand random number tokens keep their form, wherever they stand", () => {
  const random = seededRandom(13);
  const digits = (most: number) =>
    Array.from({ length: 1 + random() * most }, () => Math.floor(random() * 10)).join("");
  const frames = [
    (n: string) => n,
    (n: string) => `[1,${n}]`,
    (n: string) => `{"a":${n}}`,
    (n: string) => `{"a" :${n} }`,
  ];
  for (let round = 0; round < 20_000; round++) {
    const whole = random() < 0.3 ? "0" : `${1 + Math.floor(random() * 9)}${random() < 0.5 ? "" : digits(18)}`;
    const fraction =
      random() < 0.4
        ? ""
        : `.${random() < 0.3 ? "0".repeat(1 + random() * 20) : ""}${random() < 0.3 ? "" : digits(12)}`;
    const exponent =
      random() < 0.8 ? "" : `${random() < 0.5 ? "e" : "E"}${["", "+", "-"][Math.floor(random() * 3)]}${digits(1)}`;
    const token = `${random() < 0.2 ? "-" : ""}${whole}${fraction === "." ? "" : fraction}${exponent}`;
    const frame = frames[Math.floor(random() * frames.length)] ?? String;
    const written = exactJson(readNumberToken(token));
    expect(exactJson(parseExactJson(frame(token)))).toBe(frame(written).replaceAll(" ", ""));
  }
});

function randomFloat(random: () => number): number {
  const bits = new DataView(new ArrayBuffer(8));
  for (let byte = 0; byte < 8; byte++) bits.setUint8(byte, random() * 256);
  const value = bits.getFloat64(0);
  return Number.isFinite(value) ? value : random();
}

const WORDS = ["a", "b", "é", "\ue000", "\u{10000}", 'q"', "\u0000", "1", "10", "2", "\u2028"];

function randomValue(random: () => number, depth: number): unknown {
  const pick = Math.floor(random() * (depth < 4 ? 8 : 5));
  const items = () => Array.from({ length: random() * 5 }, () => randomValue(random, depth + 1));
  if (pick === 0) return null;
  if (pick === 1) return random() < 0.5;
  if (pick === 2) return WORDS[Math.floor(random() * WORDS.length)];
  if (pick === 3) return Math.floor((random() - 0.5) * 2 ** 40);
  if (pick === 4) return readNumberToken(floatToken(randomFloat(random)));
  if (pick === 5) return items();
  return Object.fromEntries(items().map((item) => [WORDS[Math.floor(random() * WORDS.length)], item]));
}
