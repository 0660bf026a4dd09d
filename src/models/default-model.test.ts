import { expect, test } from "vitest";
import { modelRow } from "./catalog/catalog.ts";
import { chooseModel, defaultModel, PROVIDERS } from "./choose-model.ts";

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
