import { expect, test } from "vitest";
import { addUsage, NO_USAGE, usageSince } from "./receipt.ts";

test("a sum knows what one of both knows, and what neither knows stays unknown", () => {
  const one = { ...NO_USAGE, input_tokens: 1, output_tokens: 2 };
  const other = { ...NO_USAGE, output_tokens: 3, estimated_cost_usd: 0.5 };
  expect(addUsage(one, other)).toEqual({ ...NO_USAGE, input_tokens: 1, output_tokens: 5, estimated_cost_usd: 0.5 });
});

test("only totals are counted from what was used before, and one that began anew is taken as it is", () => {
  const reported = { ...NO_USAGE, input_tokens: 10, output_tokens: 10, cache_read_tokens: 1 };
  const before = { ...NO_USAGE, input_tokens: 4, output_tokens: 4, cache_read_tokens: 4, cache_write_tokens: 4 };
  const totals = ["input_tokens", "cache_read_tokens", "cache_write_tokens"] as const;
  expect(usageSince(reported, before, totals)).toEqual({
    ...NO_USAGE,
    input_tokens: 6,
    output_tokens: 10,
    cache_read_tokens: 1,
  });
});
