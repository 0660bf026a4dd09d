import type { TokenUsage } from "../../contract/message.ts";
import { ANTHROPIC } from "./anthropic.ts";
import { GOOGLE } from "./google.ts";
import { OPENAI } from "./openai.ts";
import { OTHERS } from "./others.ts";
import type { ModelRow, Price } from "./row.ts";

/** Every model that is known. Others work too, but their limits and prices are unknown. */
export const CATALOG: readonly ModelRow[] = [...ANTHROPIC, ...OPENAI, ...GOOGLE, ...OTHERS];

/** What is known about a model, by its exact id, or the id followed by a date, `-latest` or `-preview`. */
export function modelRow(provider: string, id: string): ModelRow | undefined {
  const owner = provider === "openai-chat" ? "openai" : provider;
  const bare = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/, "");
  return [id, bare].flatMap((name) => CATALOG.find((row) => row.provider === owner && row.model === name) ?? [])[0];
}

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
