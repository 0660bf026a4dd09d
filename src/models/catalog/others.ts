import type { ModelRow, Source, Thinking } from "./row.ts";

const TABLE: Source = { of: "tokens", from: "the model table of @earendil-works/pi-ai 0.87.1", read: "2026-11-16" };
const SOURCES: readonly Source[] = [TABLE, { ...TABLE, of: "thinking" }];

const effort = (...levels: readonly string[]): Thinking => ({ kind: "effort", levels });

/** Prices of these were not verified, so their cost is unknown. */
const row = (name: string, [window, output]: readonly [number, number], thinking: Thinking): ModelRow => {
  const slash = name.indexOf("/");
  return {
    provider: name.slice(0, slash),
    model: name.slice(slash + 1),
    window,
    output,
    thinking,
    family: "unknown",
    sources: SOURCES,
  };
};

const NONE: Thinking = { kind: "none" };

export const OTHERS: readonly ModelRow[] = [
  { ...row("deepseek/deepseek-v4-pro", [1_000_000, 384_000], effort("high", "max")), isDefault: true },
  row("deepseek/deepseek-flash", [1_000_000, 384_000], effort("low", "high", "max")),
  { ...row("xai/grok-4.7", [500_000, 500_000], effort("low", "medium", "high", "xhigh")), isDefault: true },
  row("xai/grok-4.6", [500_000, 500_000], effort("low", "medium", "high", "xhigh")),
  row("xai/grok-4.5", [500_000, 500_000], effort("low", "medium", "high")),
  row("groq/openai/gpt-oss-120b", [131_072, 65_536], effort("low", "medium", "high")),
  row("groq/openai/gpt-oss-20b", [131_072, 65_536], effort("low", "medium", "high")),
  row("groq/llama-3.3-70b-versatile", [131_072, 32_768], NONE),
  row("mistral/devstral-latest", [262_144, 262_144], NONE),
  row("mistral/codestral-latest", [256_000, 4_096], NONE),
];
