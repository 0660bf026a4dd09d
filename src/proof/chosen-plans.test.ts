import { expect, test } from "vitest";
import { chosenPlans } from "./chosen-plans.ts";

const PLANS = [{ what: "calls" }, { what: "instructions" }, { what: "faults" }, { what: "something new" }];
const chosen = (...only: Parameters<typeof chosenPlans>[1]) => chosenPlans(PLANS, only).map(({ what }) => what);

test("only the tries that show the chosen guarantees are played", () => {
  expect(chosen("instructions")).toEqual(["instructions"]);
  expect(chosen("deny", "parallel", "fault.killed")).toEqual(["calls", "faults"]);
});

test("without a choice every try is played", () => {
  expect(chosen()).toEqual(PLANS.map(({ what }) => what));
});
