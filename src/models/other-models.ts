import { CATALOG, modelRow } from "./catalog/catalog.ts";
import { type ModelChoice, providerNamed } from "./choose-model.ts";
import type { Model } from "./model.ts";

/**
 * Other models at the same address and with the same key as the chosen one. Another provider is never used: the user
 * chose where this work is sent.
 */
export interface OtherModels {
  /** The small model of the provider; undefined if none is known. */
  readonly small: () => Model | undefined;
  /** A model by its id, or by a word such as `haiku`; or why it cannot be used. */
  readonly named: (name: string) => Model | { readonly why: string };
}

/** The best small model of each provider in the catalogue. */
const SMALL: Readonly<Record<string, string>> = {
  anthropic: "claude-haiku-5-5",
  openai: "gpt-5.6-luna",
  "openai-chat": "gpt-5-mini",
  google: "gemini-3.8-flash",
  deepseek: "deepseek-flash",
};

export function otherModels(choice: ModelChoice, open: (choice: ModelChoice) => Model): OtherModels {
  const { provider, id, baseUrl } = choice;
  const opened = new Map<string, Model>();
  const model = (other: string) => {
    const known = opened.get(other) ?? open({ ...choice, id: other });
    opened.set(other, known);
    return known;
  };
  // A server of the user's own may have other models than the provider.
  const isUsual = providerNamed(provider)?.baseUrl === baseUrl;
  return {
    small: () => {
      const small = isUsual ? SMALL[provider] : undefined;
      return small === undefined || !isCheaper(small, id, provider) ? undefined : model(small);
    },
    named(name) {
      const wanted = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
      if (wanted === id) return model(id);
      const known = modelRow(provider, wanted) === undefined ? byWord(provider, wanted) : wanted;
      return known !== undefined ? model(known) : { why: `${provider} has no model ${name} that is known here` };
    },
  };
}

/** A price that is unknown cannot be compared, and then the smaller model counts as cheaper. */
function isCheaper(small: string, id: string, provider: string): boolean {
  const [one, other] = [small, id].map((name) => modelRow(provider, name)?.price?.input);
  return small !== id && (one === undefined || other === undefined || one < other);
}

/** The first model of a provider whose name has this word in it, such as `haiku` or `flash`. */
function byWord(provider: string, word: string): string | undefined {
  const owner = provider === "openai-chat" ? "openai" : provider;
  return CATALOG.find((row) => row.provider === owner && row.model.split(/[-/]/).includes(word.toLowerCase()))?.model;
}
