import { expect, test } from "vitest";
import { chooseModel } from "./choose-model.ts";
import type { Model } from "./model.ts";
import { openModel } from "./open-model.ts";
import { otherModels } from "./other-models.ts";

const KEYS = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };

const others = (name: string, baseUrl?: string) =>
  otherModels(chooseModel({ name, baseUrl, environment: KEYS }), (choice) => openModel(choice));

const nameOf = (model: Model | { readonly why: string } | undefined) =>
  model === undefined ? undefined : "why" in model ? model.why : model.name;

test("the small model is one of the same provider, and cheaper than the chosen one", () => {
  expect(nameOf(others("anthropic/claude-opus-5").small())).toBe("anthropic/claude-haiku-5-5");
  expect(nameOf(others("openai/gpt-6.1-sol").small())).toBe("openai/gpt-5.6-luna");
  expect(nameOf(others("anthropic/claude-haiku-5-5").small())).toBeUndefined();
  expect(nameOf(others("google/gemini-3.8-flash").small())).toBeUndefined();
  expect(nameOf(others("ollama/qwen3").small())).toBeUndefined();
  // A server of one's own may have other models.
  expect(nameOf(others("anthropic/claude-opus-5", "http://127.0.0.1:9").small())).toBeUndefined();
});

test("a model is named by its id or a word of it, and is never one of another provider", () => {
  const { named } = others("anthropic/claude-opus-5");
  expect(
    ["claude-sonnet-5", "anthropic/claude-haiku-4-5-20251001", "haiku", "Sonnet"].map((name) => nameOf(named(name))),
  ).toEqual(
    ["claude-sonnet-5", "claude-haiku-4-5-20251001", "claude-haiku-5-5", "claude-sonnet-5-5"].map(
      (id) => `anthropic/${id}`,
    ),
  );
  for (const name of ["openai/gpt-5", "gpt-5", "", "../x", "haiku-99"])
    expect(nameOf(named(name))).toBe(`anthropic has no model ${name} that is known here`);
  const local = others("ollama/qwen3");
  expect([nameOf(local.named("qwen3")), nameOf(local.named("haiku"))]).toEqual([
    "ollama/qwen3",
    "ollama has no model haiku that is known here",
  ]);
});
