import { ANTHROPIC } from "./anthropic.ts";
import { GOOGLE } from "./google.ts";
import { OPENAI } from "./openai.ts";
import { OTHERS } from "./others.ts";
import type { ModelRow } from "./row.ts";

/** Every model that is known. Others work too, but their limits and prices are unknown. */
export const CATALOG: readonly ModelRow[] = [...ANTHROPIC, ...OPENAI, ...GOOGLE, ...OTHERS];

/** What is known about a model, by its exact id, or the id followed by a date, `-latest` or `-preview`. */
export function modelRow(provider: string, id: string): ModelRow | undefined {
  const owner = provider === "openai-chat" ? "openai" : provider;
  const bare = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/, "");
  return [id, bare].flatMap((name) => CATALOG.find((row) => row.provider === owner && row.model === name) ?? [])[0];
}
