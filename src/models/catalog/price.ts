import type { TokenUsage } from "../../contract/message.ts";
import { modelRow } from "./catalog.ts";
import type { Price } from "./row.ts";

/** The price of a model; undefined if it is unknown. */
export const priceOf = (provider: string, id: string): Price | undefined => modelRow(provider, id)?.price;

const MILLION = 1_000_000;

/** The cost of a request. `usage.input` includes cached tokens. */
export function costOf(price: Price, usage: TokenUsage): number {
  const { input, output, cacheRead, cacheWrite } =
    price.long !== undefined && usage.input > price.long.above ? price.long : price;
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const millionths =
    fresh * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return millionths / MILLION;
}
