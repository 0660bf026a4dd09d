import type { Price, Thinking } from "../../models/catalog/row.ts";

/** A number of tokens with separators. */
export const amount = (tokens: number | undefined): string => tokens?.toLocaleString("en-US") ?? "unknown";

/** How a model's thinking is set, in a few words. */
export function thinkingText(thinking: Thinking): string {
  switch (thinking.kind) {
    case "none":
      return "no";
    case "budget":
      return `${amount(thinking.most)} tokens`;
    default:
      return `${thinking.levels[0] ?? ""} to ${thinking.levels.at(-1) ?? ""}`;
  }
}

/** Input, output, cache read and cache write. */
export function priceText(price: Price | undefined): string {
  if (price === undefined) return "unknown";
  const { input, output, cacheRead, cacheWrite } = price;
  return [input, output, cacheRead, cacheWrite].map((rate) => rate.toFixed(3).padStart(8)).join("");
}
