import { expect, test } from "vitest";
import { expandBraces } from "./expand.ts";

test.each([
  ["{a,b,}", ["a", "b", ""]],
  ["{1..3}", ["1", "2", "3"]],
  ["{2..-1}", ["2", "1", "0", "-1"]],
  ["{900..903}", ["900", "901", "902", "903"]],
])("%s stands for %j", (text, texts) => {
  expect(expandBraces(text)).toEqual(texts);
});

test.each(["{1..65}", "{-40..40}", "{01..03}", "{a}", "{a,{b,c}}", "{a,$b}", `{${"x,".repeat(64)}}`])(
  "%s is not expanded",
  (text) => {
    expect(expandBraces(text)).toBeUndefined();
  },
);

test("as many as sixty-four are expanded", () => {
  expect(expandBraces("{1..64}")?.length).toBe(64);
});
