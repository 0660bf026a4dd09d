import type { ImageLimits } from "../../contract/message.ts";
import { type ModelRow, type Price, rates, type Source, type Thinking } from "./row.ts";

const PRICES: Source = {
  of: "price",
  from: "the provider's price page, and GitHub's published table of the same prices",
  read: "2026-11-15",
};
const TABLE: Source = { of: "price", from: "the model table of @earendil-works/pi-ai 0.87.1", read: "2026-11-16" };
const SOURCES: readonly Source[] = [
  { of: "tokens", from: "https://ai.google.dev/gemini-api/docs/models/MODEL", read: "2026-11-16" },
  { of: "thinking", from: "the model pages and the model tables of @ai-sdk/google 4.0.117", read: "2026-11-16" },
  { of: "images", from: "https://ai.google.dev/gemini-api/docs/image-understanding", read: "2026-11-16" },
];

const IMAGES: ImageLimits = { count: 3600, request: 20 * 1024 * 1024 };
const LEVELS: Thinking = { kind: "level", levels: ["low", "medium", "high"] };

/** The window is that of the prompt alone. */
const row = (model: string, price: Price | undefined, more: Partial<ModelRow> = {}): ModelRow => ({
  provider: "google",
  model,
  ...(price === undefined ? {} : { price }),
  window: 1_048_576,
  output: 65_536,
  thinking: LEVELS,
  images: IMAGES,
  family: "google",
  sources: price === undefined ? SOURCES : [PRICES, ...SOURCES],
  ...more,
});

export const GOOGLE: readonly ModelRow[] = [
  row("gemini-3.8-flash", rates(0.75, 3.75, [0.075, 0.75]), { isDefault: true, sources: [TABLE, ...SOURCES] }),
  row("gemini-3.7-flash", rates(0.75, 3.75, [0.075, 0.75])),
  row("gemini-3.5-flash", rates(1.5, 9, [0.15, 1.5])),
  row("gemini-3.1-pro", {
    ...rates(2, 12, [0.2, 2]),
    long: { above: 200_000, ...rates(4, 18, [0.4, 4]) },
  }),
  row("gemini-2.5-pro", undefined, { thinking: { kind: "budget", most: 32_768 } }),
  row("gemini-2.5-flash", undefined, { thinking: { kind: "budget", most: 24_576 } }),
];
