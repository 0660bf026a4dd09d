import { expect, test } from "vitest";
import { modelRow } from "./catalog/catalog.ts";
import { chooseModel, defaultModel, otherModels, PROVIDERS } from "./choose-model.ts";
import type { Model } from "./model.ts";
import { openModel } from "./open-model.ts";

const KEY = { ANTHROPIC_API_KEY: "key" };

test.each([
  [{ name: "anthropic/claude-haiku-4-5" }, KEY, "https://api.anthropic.com/v1", "key"],
  [{ name: "anthropic/m" }, { ...KEY, ANTHROPIC_BASE_URL: "https://proxy.example" }, "https://proxy.example/v1", "key"],
  [
    { name: "anthropic/m", baseUrl: "https://b.example/x/v2/" },
    { ...KEY, ANTHROPIC_BASE_URL: "https://a.example" },
    "https://b.example/x/v2",
    "key",
  ],
  [{ name: "google/m", baseUrl: "http://localhost:9" }, {}, "http://localhost:9/v1beta", undefined],
  [
    { name: "google/m" },
    { GOOGLE_GENERATIVE_AI_API_KEY: "g" },
    "https://generativelanguage.googleapis.com/v1beta",
    "g",
  ],
  [{ name: "ollama/qwen3:8b" }, {}, "http://127.0.0.1:11434/v1", undefined],
  [{ name: "openrouter/meta/llama-4" }, { OPENROUTER_API_KEY: " or\n" }, "https://openrouter.ai/api/v1", "or"],
  [
    {},
    { SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: "http://127.0.0.1:1/v1" },
    "http://127.0.0.1:1/v1",
    undefined,
  ],
  [{ name: "compatible/m", baseUrl: "https://far.example/v1" }, {}, "https://far.example/v1", undefined],
])("%j with %j is asked at %s", (wanted, environment, baseUrl, key) => {
  expect(chooseModel({ ...wanted, environment })).toMatchObject({ baseUrl, key });
});

test.each([
  [{}, {}, "no model selected"],
  [{}, KEY, "no model selected (a key is set for anthropic)"],
  [{ name: "claude" }, KEY, "unknown provider"],
  [{ name: "anthropic/" }, KEY, "not a model name"],
  [{ name: "anthropic/a b" }, KEY, "not a model name"],
  [{ name: "google/../../admin" }, KEY, "not a model name"],
  [{ name: `anthropic/${"x".repeat(300)}` }, KEY, "not a model name"],
  [{ name: "anthropic/m" }, {}, "no API key for anthropic"],
  [{ name: "anthropic/m" }, { ANTHROPIC_API_KEY: "a\nb" }, "characters that are not allowed in a header"],
  [{ name: "compatible/m" }, {}, "compatible has no default address"],
  [{ name: "anthropic/m", baseUrl: "not a url" }, KEY, "must be http or https"],
  [{ name: "anthropic/m", baseUrl: "file:///etc/passwd" }, KEY, "must be http or https"],
  [{ name: "anthropic/m", baseUrl: "https://me:secret@h.example" }, KEY, "contains a user name, a password"],
  [{ name: "anthropic/m", baseUrl: "http://h.example" }, KEY, "unencrypted"],
  [{ name: "anthropic/m", baseUrl: "http://127.0.0.1.example.com" }, KEY, "unencrypted"],
])("%j with %j is refused", (wanted, environment, message) => {
  expect(() => chooseModel({ ...wanted, environment })).toThrow(message);
});

test("no refusal shows a key", () => {
  const environment = { ANTHROPIC_API_KEY: "sk-secret words" };
  expect(() => chooseModel({ name: "anthropic/m", environment })).toThrow(/^(?!.*sk-secret)/);
});

test.each(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "XAI_API_KEY"])(
  "the only key decides: %s",
  (keyVariable) => {
    const environment = { [keyVariable]: "k" };
    const found = defaultModel(environment);
    expect(found?.keyVariable).toBe(keyVariable);
    const { provider, id } = chooseModel({ name: found?.name, environment });
    expect(modelRow(provider, id)?.isDefault).toBe(true);
  },
);

test("no key, a blank one, several, or one of a provider without a default choose nothing", () => {
  const environments = [
    {},
    { ANTHROPIC_API_KEY: " " },
    { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b" },
    { OPENROUTER_API_KEY: "a" },
    { ANTHROPIC_API_KEY: "a", SIGNALBOX_API_KEY: "b" },
  ];
  expect(environments.map(defaultModel)).toEqual(environments.map(() => undefined));
});

test("with several keys the refusal names a model for each, and how to keep the choice", () => {
  const environment = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b" };
  expect(() => chooseModel({ environment })).toThrow("no model selected (a key is set for anthropic, openai)");
  try {
    chooseModel({ environment });
  } catch (error) {
    expect(error).toMatchObject({
      fix: expect.stringMatching(
        /--model anthropic\/\S+ or --model openai\/\S+; to keep the choice: signalbox models --set anthropic\//,
      ),
    });
  }
});

test("every provider with a default has a key of its own", () => {
  const variables = PROVIDERS.filter(({ name }) => name !== "openai-chat").flatMap(({ keyVariables }) => keyVariables);
  expect(new Set(variables).size).toBe(variables.length);
});

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
