import type { TokenUsage } from "../contract/message.ts";

/** US dollars per million tokens: fresh input, output, input read from the cache, input written to it. */
interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface Price extends Rates {
  readonly provider: string;
  /** The prefix of the model's id; a date or `-latest` may follow. */
  readonly model: string;
  /** Different rates for requests with more input than this. */
  readonly long?: Rates & { readonly above: number };
}

/** When the table was read, and where: the providers' price pages, and GitHub's published table of the same prices. */
export const PRICES_AS_OF = "2026-11-15";

const rates = (input: number, output: number, [cacheRead, cacheWrite]: readonly [number, number]): Rates => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

const opus = rates(5, 25, [0.5, 6.25]);
const sonnet = rates(3, 15, [0.3, 3.75]);

/** Only verified prices. A model that is not listed has no known cost. */
export const PRICES: readonly Price[] = [
  { provider: "anthropic", model: "claude-opus-5", ...opus },
  { provider: "anthropic", model: "claude-opus-4-8", ...opus },
  { provider: "anthropic", model: "claude-opus-4-7", ...opus },
  { provider: "anthropic", model: "claude-opus-4-6", ...opus },
  { provider: "anthropic", model: "claude-opus-4-5", ...opus },
  { provider: "anthropic", model: "claude-opus-4-1", ...rates(15, 75, [1.5, 18.75]) },
  { provider: "anthropic", model: "claude-sonnet-5", ...rates(2, 10, [0.2, 2.5]) },
  { provider: "anthropic", model: "claude-sonnet-4-6", ...sonnet },
  { provider: "anthropic", model: "claude-sonnet-4-5", ...sonnet },
  { provider: "anthropic", model: "claude-haiku-4-5", ...rates(1, 5, [0.1, 1.25]) },
  { provider: "openai", model: "gpt-5-mini", ...rates(0.25, 2, [0.025, 0.25]) },
  { provider: "openai", model: "gpt-5.3-codex", ...rates(1.75, 14, [0.175, 1.75]) },
  {
    provider: "openai",
    model: "gpt-5.4",
    ...rates(2.5, 15, [0.25, 2.5]),
    long: { above: 272_000, ...rates(5, 22.5, [0.5, 5]) },
  },
  { provider: "openai", model: "gpt-5.4-mini", ...rates(0.75, 4.5, [0.075, 0.75]) },
  { provider: "openai", model: "gpt-5.4-nano", ...rates(0.2, 1.25, [0.02, 0.2]) },
  {
    provider: "openai",
    model: "gpt-5.5",
    ...rates(5, 30, [0.5, 5]),
    long: { above: 272_000, ...rates(10, 45, [1, 10]) },
  },
  {
    provider: "openai",
    model: "gpt-5.6-luna",
    ...rates(0.2, 1.2, [0.02, 0.25]),
    long: { above: 200_000, ...rates(0.4, 1.8, [0.04, 0.5]) },
  },
  {
    provider: "openai",
    model: "gpt-5.6-terra",
    ...rates(2, 12, [0.2, 2.5]),
    long: { above: 272_000, ...rates(4, 18, [0.4, 5]) },
  },
  {
    provider: "openai",
    model: "gpt-5.6-sol",
    ...rates(5, 30, [0.5, 6.25]),
    long: { above: 272_000, ...rates(10, 45, [1, 12.5]) },
  },
  { provider: "google", model: "gemini-3.5-flash", ...rates(1.5, 9, [0.15, 1.5]) },
  { provider: "google", model: "gemini-3.7-flash", ...rates(0.75, 3.75, [0.075, 0.75]) },
  {
    provider: "google",
    model: "gemini-3.1-pro",
    ...rates(2, 12, [0.2, 2]),
    long: { above: 200_000, ...rates(4, 18, [0.4, 4]) },
  },
];

/** The price of a model by its exact id, or the id followed by a date, `-latest` or `-preview`. */
export function priceOf(provider: string, id: string): Price | undefined {
  const owner = provider === "openai-chat" ? "openai" : provider;
  const bare = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/, "");
  return PRICES.find((price) => price.provider === owner && price.model === bare);
}

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
