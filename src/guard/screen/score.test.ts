import { expect, test } from "vitest";
import { scoreOf } from "./screen.ts";

const signal = (kind: string, points: number, start: number) => ({ kind, points, start, end: start + 10 });

test("the strongest kind counts in full, others nearby by a third, the same kind once", () => {
  expect(scoreOf([signal("a", 6, 0), signal("a", 3, 20), signal("b", 3, 40)]).score).toBe(7);
});

test("what stands far apart does not add up", () => {
  expect(scoreOf([signal("a", 3, 0), signal("b", 3, 5000)]).score).toBe(3);
});

test("overlapping signals of a kind are told once, by the strongest", () => {
  expect(scoreOf([signal("a", 3, 0), signal("a", 6, 5), signal("b", 2, 7)]).counted).toEqual([
    signal("a", 6, 5),
    signal("b", 2, 7),
  ]);
});

test("nothing gives nothing, and thousands of signals a short list", () => {
  expect(scoreOf([])).toEqual({ score: 0, counted: [] });
  const many = Array.from({ length: 3000 }, (_, index) => signal("a", 4, index * 20));
  expect(scoreOf(many).counted.length).toBeLessThanOrEqual(50);
});
