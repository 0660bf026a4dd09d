import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { WireExtras } from "../contract/message.ts";
import { parseJson } from "../lib/parse-json.ts";

/** What a provider wants back, as plain JSON. Later fields win: a signature arrives at the end of its block. */
export function mergeExtras(
  before: WireExtras | undefined,
  added: SharedV4ProviderMetadata | undefined,
): WireExtras | undefined {
  if (added === undefined) return before;
  const merged: WireExtras = { ...before };
  const plain = WireExtras.parse(parseJson(JSON.stringify(added)));
  for (const [provider, fields] of Object.entries(plain)) merged[provider] = { ...merged[provider], ...fields };
  return merged;
}
