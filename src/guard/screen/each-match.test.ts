import { expect, test } from "vitest";
import { eachMatch } from "./view.ts";

test("every match comes once, in order, also empty ones", () => {
  expect(Array.from(eachMatch("a1b22", /\d+/g), (match) => [match.index, match[0]])).toEqual([
    [1, "1"],
    [3, "22"],
  ]);
  expect(Array.from(eachMatch("ab", /x*/g), (match) => match.index)).toEqual([0, 1, 2]);
});

test("two searches with one pattern do not disturb each other", () => {
  const pattern = /\w/g;
  const pairs: string[] = [];
  for (const outer of eachMatch("ab", pattern)) {
    for (const inner of eachMatch("xy", pattern)) pairs.push(outer[0] + inner[0]);
  }
  expect(pairs).toEqual(["ax", "ay", "bx", "by"]);
});
