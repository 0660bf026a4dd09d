import { expect, test } from "vitest";
import { roundsFlag, withAutoRounds } from "./order.ts";

const accept = ["npm test"];

test.each(["0", "-1", "1e9", "abc", "101", "", "2.5", "0x10", " 3", "٣"])("--rounds %j is refused", (rounds) => {
  expect(() => roundsFlag({ rounds, accept })).toThrow("--rounds needs a whole number from 1 to 100");
});

test("rounds are counted only where there is a check", () => {
  expect([roundsFlag({}), roundsFlag({ accept }), roundsFlag({ accept, rounds: "100" })]).toEqual([1, 1, 100]);
  expect(() => roundsFlag({ rounds: "2" })).toThrow("--rounds needs a check that decides whether the work is done");
});

test("auto has five rounds if it has a check, unless another number is given", () => {
  const counts = [{}, { accept }, { accept, rounds: "2" }].map((flags) => roundsFlag(withAutoRounds(flags)));
  expect(counts).toEqual([1, 5, 2]);
});
