import type { Usage } from "./receipt.ts";

type Count = keyof Usage;

/** The usage of both together. What neither knows stays unknown. */
export const addUsage = (one: Usage, other: Usage): Usage =>
  byCount((count) => (one[count] === null ? other[count] : one[count] + (other[count] ?? 0)));

/**
 * What was used since `before`, where `totals` are the counts that went on from there. A total that is lower than before
 * was started anew, so it is taken as it is.
 */
export const usageSince = (reported: Usage, before: Usage, totals: readonly Count[]): Usage =>
  byCount((count) => {
    const [now, then] = [reported[count], before[count] ?? 0];
    return now !== null && totals.includes(count) && now >= then ? now - then : now;
  });

const byCount = (value: (count: Count) => number | null): Usage => ({
  input_tokens: value("input_tokens"),
  output_tokens: value("output_tokens"),
  cache_read_tokens: value("cache_read_tokens"),
  cache_write_tokens: value("cache_write_tokens"),
  request_units: value("request_units"),
  estimated_cost_usd: value("estimated_cost_usd"),
});
