import { expect, test } from "vitest";
import * as z from "zod";
import type { Effort } from "../contract/engine-settings.ts";
import { chooseModel } from "./choose-model.ts";
import { readEffort, thinkingEffort } from "./effort.ts";
import { openModel } from "./open-model.ts";
import { startScriptedModel } from "./scripted/server.ts";

const look = { name: "look", description: "Look.", schema: { type: "object", properties: {} } };

/** The body that a scripted server gets for a model that is told to think. */
async function sentTo(name: string, level: Effort | undefined) {
  await using server = await startScriptedModel({ script: { turns: [{ text: "done" }] } });
  const provider = name.split("/")[0] ?? "";
  const baseUrl = ["anthropic", "google"].includes(provider) ? server.url : `${server.url}/v1`;
  const choice = chooseModel({ name, baseUrl, environment: {} });
  const effort = thinkingEffort(choice);
  if (level !== undefined) effort.set(level, "--effort");
  const model = openModel(choice, { effort: () => effort.level });
  const request = { system: "s", history: [{ role: "user", text: "go", source: "person" } as const], tools: [look] };
  await Array.fromAsync(model.ask(request, AbortSignal.timeout(20_000)));
  return z.looseObject({}).parse(server.requests[0]?.body);
}

const adaptive = (effort: string) => ({
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort },
});
const budget = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
const level = (thinkingLevel: string) => ({ generationConfig: { thinkingConfig: { thinkingLevel } } });

test.each<readonly [string, Effort, object]>([
  ["anthropic/claude-sonnet-5-5", "low", adaptive("low")],
  ["anthropic/claude-opus-4-6", "max", adaptive("max")],
  ["anthropic/claude-unheard-of", "high", adaptive("high")],
  ["anthropic/claude-haiku-4-5", "low", budget(4_000)],
  ["anthropic/claude-haiku-4-5", "max", budget(32_000)],
  ["anthropic/claude-opus-4-1", "max", { ...budget(16_000), max_tokens: 32_000 }],
  ["openai/gpt-6.1-sol", "max", { reasoning: { effort: "max" } }],
  ["openai/gpt-5.4", "max", { reasoning: { effort: "xhigh" } }],
  ["openai/gpt-5-mini", "max", { reasoning: { effort: "high" } }],
  ["openai/unheard-of", "medium", { reasoning: { effort: "medium" } }],
  ["openai-chat/gpt-5.4", "low", { reasoning_effort: "low" }],
  ["openai-chat/unheard-of", "high", { reasoning_effort: "high" }],
  ["google/gemini-3.8-flash", "medium", level("medium")],
  ["google/gemini-3.8-flash", "max", level("high")],
  ["google/gemini-unheard-of", "max", level("high")],
  ["google/gemini-2.5-pro", "high", { generationConfig: { thinkingConfig: { thinkingBudget: 20_000 } } }],
  ["google/gemini-2.5-flash", "max", { generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } } }],
  ["compatible/m", "max", { reasoning_effort: "max" }],
  ["ollama/qwen3", "high", { reasoning_effort: "high" }],
  ["groq/openai/gpt-oss-120b", "max", { reasoning_effort: "high" }],
  ["deepseek/deepseek-v4-pro", "low", { reasoning_effort: "high" }],
])("%s thinks at effort %s in its provider's own words", async (name, effort, expected) => {
  expect(await sentTo(name, effort)).toMatchObject(expected);
});

test.each([
  "anthropic/claude-sonnet-5",
  "openai/gpt-5.4",
  "openai-chat/gpt-5.4",
  "google/gemini-3.8-flash",
  "compatible/m",
])("without an effort, %s is told nothing about thinking", async (name) => {
  expect(JSON.stringify(await sentTo(name, undefined))).not.toMatch(/thinking|effort|summary/);
});

test.each<Effort | undefined>([undefined, "high"])(
  "a model that checks the history before its thoughts drops them instead of failing, at effort %s",
  async (effort) => {
    const body = await sentTo("anthropic/claude-opus-5-5", effort);
    expect(body["thinking"]).toEqual({
      type: "adaptive",
      display: "summarized",
      block_binding: { prefix_mismatch_behavior: "drop_block" },
    });
    expect(body["output_config"]).toEqual(effort === undefined ? undefined : { effort });
  },
);

test("no summary of thinking is asked for, since OpenAI refuses that to some", async () => {
  expect(await sentTo("openai/gpt-5.4", "high")).toMatchObject({ reasoning: { effort: "high" } });
  expect(JSON.stringify(await sentTo("openai/gpt-5.4", "high"))).not.toContain("summary");
});

const effortOf = (name: string) =>
  thinkingEffort(chooseModel({ name, baseUrl: "http://127.0.0.1:9/v1", environment: {} }));

test.each([
  ["openai/gpt-4.1", /openai\/gpt-4\.1 does not think/],
  ["mistral/devstral-latest", /mistral\/devstral-latest does not think/],
  ["openai-chat/gpt-6-sol", /openai-chat\/gpt-6-sol cannot think and use tools over Chat Completions/],
])("%s is refused, and keeps the effort it had", (name, message) => {
  const effort = effortOf(name);
  expect(() => effort.set("high", "--effort")).toThrow(message);
  expect(effort.level).toBeUndefined();
});

test("what the user should know about a level is said", () => {
  expect([
    effortOf("compatible/m").set("high", "--effort"),
    effortOf("deepseek/deepseek-v4-pro").set("low", "--effort"),
    effortOf("openai/gpt-5-mini").set("max", "--effort"),
    effortOf("anthropic/claude-haiku-4-5").set("low", "--effort"),
  ]).toEqual([
    "compatible/m is not in the catalogue; effort high is passed on unchecked",
    "deepseek/deepseek-v4-pro has no effort low; high is used",
    undefined,
    undefined,
  ]);
});

test("a mistyped effort is named with the nearest one", () => {
  expect(() => readEffort("hihg", "--effort")).toThrow('unknown effort "hihg"');
  expect(readEffort("max", "--effort")).toBe("max");
});
