import type { ImageLimits } from "../../contract/message.ts";
import { type ModelRow, type Price, rates, type Source } from "./row.ts";

const READ = "2026-11-16";
const TABLE = "the model table of @earendil-works/pi-ai 0.87.1";
const PRICES: Source = {
  of: "price",
  from: "the provider's price page, and GitHub's published table of the same prices",
  read: "2026-11-15",
};
const PAGE_PRICE: Source = {
  of: "price",
  from: "https://developers.openai.com/api/docs/models/MODEL; for gpt-6.1-sol, announcements of resellers",
  read: READ,
};
const SOURCES: readonly Source[] = [
  {
    of: "tokens",
    from: "https://developers.openai.com/api/docs/models/MODEL; the largest prompt is window less answer, as published for gpt-5.4, gpt-6-sol and gpt-6.1-sol",
    read: READ,
  },
  {
    of: "thinking",
    from: "the model pages and the model tables of @ai-sdk/openai 4.0.114",
    read: READ,
  },
  { of: "images", from: TABLE, read: READ },
];

const IMAGES: ImageLimits = { count: 1500, request: 512 * 1024 * 1024 };

const TO_HIGH = ["minimal", "low", "medium", "high"];
const TO_XHIGH = ["low", "medium", "high", "xhigh"];
const TO_MAX = ["low", "medium", "high", "xhigh", "max"];

interface More {
  readonly price?: Price;
  readonly prices?: Source;
  readonly levels: readonly string[];
  readonly family?: "unknown";
  readonly isDefault?: true;
  readonly notInChat?: true;
}

/** A model that thinks: its answers have up to 128,000 tokens, and the prompt has the rest of the window. */
function thinking(model: string, window: number, more: More): ModelRow {
  const { price, prices = PRICES, levels, family, isDefault, notInChat } = more;
  return {
    provider: "openai",
    model,
    ...(price === undefined ? {} : { price }),
    window,
    prompt: window - 128_000,
    output: 128_000,
    thinking: { kind: "effort", levels, ...(notInChat === undefined ? {} : { notInChat }) },
    images: IMAGES,
    family: family ?? "o200k",
    sources: price === undefined ? SOURCES : [prices, ...SOURCES],
    ...(isDefault === undefined ? {} : { isDefault }),
  };
}

const plain = (model: string, window: number, output: number): ModelRow => ({
  provider: "openai",
  model,
  window,
  output,
  thinking: { kind: "none" },
  images: IMAGES,
  family: "o200k",
  sources: [
    { of: "tokens", from: TABLE, read: READ },
    { of: "images", from: TABLE, read: READ },
  ],
});

/** Twice the price of the input and half as much again for the output, beyond 272,000 tokens of input. */
const tiered = (input: number, output: number, cache: readonly [number, number]): Price => ({
  ...rates(input, output, cache),
  long: { above: 272_000, ...rates(2 * input, 1.5 * output, [2 * cache[0], 2 * cache[1]]) },
});

const SMALL = 400_000;
const LARGE = 1_050_000;
const gpt6 = { levels: TO_MAX, family: "unknown", notInChat: true, prices: PAGE_PRICE } as const;
const gpt56 = { levels: TO_MAX, notInChat: true } as const;

export const OPENAI: readonly ModelRow[] = [
  thinking("gpt-6.1-sol", LARGE, { ...gpt6, price: tiered(2, 10, [0.1, 2.5]), isDefault: true }),
  thinking("gpt-6-sol", LARGE, { ...gpt6, price: tiered(2, 10, [0.2, 2.5]) }),
  thinking("gpt-5-mini", SMALL, { levels: TO_HIGH, price: rates(0.25, 2, [0.025, 0.25]) }),
  thinking("gpt-5.3-codex", SMALL, { levels: TO_XHIGH, price: rates(1.75, 14, [0.175, 1.75]) }),
  thinking("gpt-5.4", LARGE, { levels: TO_XHIGH, price: tiered(2.5, 15, [0.25, 2.5]) }),
  thinking("gpt-5.4-mini", SMALL, { levels: TO_XHIGH, price: rates(0.75, 4.5, [0.075, 0.75]) }),
  thinking("gpt-5.4-nano", SMALL, { levels: TO_XHIGH, price: rates(0.2, 1.25, [0.02, 0.2]) }),
  thinking("gpt-5.5", LARGE, { levels: TO_XHIGH, price: tiered(5, 30, [0.5, 5]) }),
  thinking("gpt-5.6-luna", LARGE, { ...gpt56, price: tiered(0.2, 1.2, [0.02, 0.25]), prices: PAGE_PRICE }),
  thinking("gpt-5.6-terra", LARGE, { ...gpt56, price: tiered(2, 12, [0.2, 2.5]) }),
  thinking("gpt-5.6-sol", LARGE, { ...gpt56, price: tiered(5, 30, [0.5, 6.25]) }),
  thinking("gpt-5", SMALL, { levels: TO_HIGH }),
  thinking("gpt-5.1", SMALL, { levels: ["low", "medium", "high"] }),
  thinking("gpt-5.2", SMALL, { levels: TO_XHIGH }),
  plain("gpt-4.1", 1_047_576, 32_768),
  plain("gpt-4.1-mini", 1_047_576, 32_768),
  plain("gpt-4o", 128_000, 16_384),
];
