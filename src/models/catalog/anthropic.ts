import type { ImageLimits } from "../../contract/message.ts";
import { type ModelRow, rates, type Source, type Thinking } from "./row.ts";

const PRICES: Source = {
  of: "price",
  from: "the provider's price page, and GitHub's published table of the same prices",
  read: "2026-11-15",
};
const PAGES = "https://platform.claude.com/docs/en/models/MODEL/overview";
const IMAGES: Source = {
  of: "images",
  from: "https://platform.claude.com/docs/en/build-with-claude/vision",
  read: "2026-11-16",
};
const THINKING: Source = { of: "thinking", from: "the model tables of @ai-sdk/anthropic 4.0.102", read: "2026-11-16" };

/** Read on the model's own page. */
const PAGE: Source = { of: "tokens", from: PAGES, read: "2026-11-16" };
const PAGE_PRICE: Source = { ...PAGE, of: "price" };
/** Not read on the model's own page. */
const TABLE: Source = { of: "tokens", from: "the model table of @earendil-works/pi-ai 0.87.1", read: "2026-11-16" };

const PAGE_AND_TABLE: Source = { ...PAGE_PRICE, from: `${PAGES}; for the cache, ${TABLE.from}` };

/** Models with a small window take fewer images. */
const images = (count: number): ImageLimits => ({
  bytes: 5 * 1024 * 1024,
  pixels: 8000,
  many: { above: 20, pixels: 2000 },
  count,
  request: 32 * 1024 * 1024,
});

const ADAPTIVE: Thinking = { kind: "adaptive", levels: ["low", "medium", "high", "max"] };

/** https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5, read on 2026-11-16 */
const BOUND: Thinking = { ...ADAPTIVE, isBound: true };

/** A model with a window of a million tokens. */
const large = (
  model: string,
  more: Pick<ModelRow, "price" | "isDefault" | "family"> & { thinking?: Thinking; prices?: Source; tokens?: Source },
) => {
  const { prices = PRICES, tokens = PAGE, ...fields } = more;
  return {
    provider: "anthropic",
    model,
    window: 1_000_000,
    output: 128_000,
    thinking: ADAPTIVE,
    images: images(600),
    sources: [prices, tokens, THINKING, IMAGES],
    ...fields,
  } satisfies ModelRow;
};

const small = (model: string, output: number, more: Pick<ModelRow, "price"> & { tokens?: Source }) => {
  const { tokens = PAGE, ...fields } = more;
  return {
    provider: "anthropic",
    model,
    window: 200_000,
    output,
    thinking: { kind: "budget", most: Math.floor(output / 2) },
    images: images(100),
    family: "anthropic",
    sources: [PRICES, tokens, THINKING, IMAGES],
    ...fields,
  } satisfies ModelRow;
};

const opus = rates(5, 25, [0.5, 6.25]);
const sonnet = rates(3, 15, [0.3, 3.75]);
const sonnet5 = rates(2, 10, [0.2, 2.5]);
const haiku5 = {
  ...rates(0.1, 0.5, [0.01, 0.125]),
  long: { above: 100_000, ...rates(0.5, 2.5, [0.05, 0.625]) },
};

/** From 4.7 on, the same text counts as about 30% more tokens. */
export const ANTHROPIC: readonly ModelRow[] = [
  large("claude-sonnet-5-5", { price: sonnet5, family: "anthropic-4.7", thinking: BOUND, prices: PAGE_PRICE }),
  large("claude-opus-5-5", {
    price: rates(4, 20, [0.2, 5]),
    family: "anthropic-4.7",
    thinking: BOUND,
    prices: PAGE_AND_TABLE,
  }),
  large("claude-haiku-5-5", { price: haiku5, family: "anthropic-4.7", prices: PAGE_PRICE }),
  large("claude-opus-5", { price: opus, family: "anthropic-4.7" }),
  large("claude-opus-4-8", { price: opus, family: "anthropic-4.7", tokens: TABLE }),
  large("claude-opus-4-7", { price: opus, family: "anthropic-4.7", tokens: TABLE }),
  large("claude-opus-4-6", { price: opus, family: "anthropic" }),
  small("claude-opus-4-5", 64_000, { price: opus, tokens: TABLE }),
  small("claude-opus-4-1", 32_000, { price: rates(15, 75, [1.5, 18.75]), tokens: TABLE }),
  large("claude-sonnet-5", { price: sonnet5, family: "anthropic-4.7", isDefault: true }),
  large("claude-sonnet-4-6", { price: sonnet, family: "anthropic" }),
  small("claude-sonnet-4-5", 64_000, { price: sonnet }),
  small("claude-haiku-4-5", 64_000, { price: rates(1, 5, [0.1, 1.25]) }),
];
