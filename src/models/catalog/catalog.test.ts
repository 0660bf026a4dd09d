import { expect, test } from "vitest";
import { PROVIDERS } from "../choose-model.ts";
import { CATALOG, costOf, modelRow, priceOf } from "./catalog.ts";

test("a model is found by its id, with a date or -latest behind it, and never by a likeness", () => {
  const found = (id: string) => modelRow("anthropic", id)?.model;
  expect(["claude-haiku-4-5", "claude-haiku-4-5-20251001", "claude-haiku-4-5-latest"].map(found)).toEqual(
    Array.from({ length: 3 }, () => "claude-haiku-4-5"),
  );
  expect(["claude-haiku-4", "claude-opus-5-6", "claude-sonnet-5-5-fast", "gpt-5-mini", ""].map(found)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
  expect(modelRow("openai-chat", "gpt-5-mini")?.price?.input).toBe(0.25);
  expect(modelRow("google", "gemini-3.1-pro-preview")?.model).toBe("gemini-3.1-pro");
});

const named = CATALOG.map((row) => [`${row.provider}/${row.model}`, row] as const);

test("no model is listed twice", () => {
  expect(new Set(named.map(([name]) => name)).size).toBe(CATALOG.length);
});

test.each(named)("%s can be looked up by its own name, and every fact says where and when it was read", (_, row) => {
  expect(modelRow(row.provider, row.model)).toBe(row);
  expect(PROVIDERS.map(({ name }) => name)).toContain(row.provider);
  const facts = [
    "tokens",
    ...(row.price === undefined ? [] : ["price"]),
    ...(row.images === undefined ? [] : ["images"]),
    ...(row.thinking.kind === "none" ? [] : ["thinking"]),
  ];
  const sourced = new Set(row.sources.map(({ of }) => String(of)));
  expect(facts.filter((fact) => !sourced.has(fact))).toEqual([]);
  for (const { from, read } of row.sources) {
    expect(from).not.toBe("");
    expect(read).toMatch(/^2026-\d\d-\d\d$/);
  }
});

test.each(named)("%s has limits that fit into each other", (_, { window, prompt, output, thinking }) => {
  expect(prompt ?? window).toBeLessThanOrEqual(window);
  expect(output).toBeLessThanOrEqual(window);
  if (thinking.kind === "budget") expect(thinking.most).toBeLessThanOrEqual(output ?? 0);
});

test("a provider has at most one default model, and it can be asked for by that name", () => {
  const defaults = CATALOG.filter(({ isDefault }) => isDefault === true).map(({ provider }) => provider);
  expect(new Set(defaults).size).toBe(defaults.length);
  expect(defaults).toEqual(expect.arrayContaining(["anthropic", "openai", "google"]));
});

test("cached input costs what cached input costs", () => {
  const price = priceOf("anthropic", "claude-haiku-4-5-20251001");
  if (price === undefined) throw new Error("no price");
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 600_000, cacheWrite: 300_000 };
  expect(costOf(price, usage)).toBeCloseTo(0.1 + 0.5 + 0.06 + 0.375, 10);
});

test("a long request costs more where the price says so", () => {
  const price = priceOf("google", "gemini-3.1-pro-preview");
  if (price === undefined) throw new Error("no price");
  const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });
  expect([costOf(price, usage(200_000)), costOf(price, usage(200_001))]).toEqual([0.4, 0.800004]);
});
