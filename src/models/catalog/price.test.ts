import { expect, test } from "vitest";
import { costOf, priceOf } from "./catalog.ts";

test("cached input costs what cached input costs", () => {
  const price = priceOf("anthropic", "claude-haiku-4-5-20251001");
  if (price === undefined) throw new Error("no price");
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 600_000, cacheWrite: 300_000 };
  expect(costOf(price, usage)).toBeCloseTo(0.1 + 0.5 + 0.06 + 0.375, 10);
});

test("a long request costs more where the price says so", () => {
  const price = priceOf("google", "gemini-3.1-pro-preview");
  if (price === undefined) throw new Error("no price");
  const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });
  expect([costOf(price, usage(200_000)), costOf(price, usage(200_001))]).toEqual([0.4, 0.800004]);
});
