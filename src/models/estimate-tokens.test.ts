import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { estimateTokens, messageTokens } from "./tokens.ts";
import { countO200k } from "./o200k.ts";

const hex = (n: number) => ((n * 2_654_435_761) >>> 0).toString(16);
const file = (path: string) => readFileSync(path, "utf8").slice(0, 60_000);

test.each([
  ["prose", file("README.md")],
  ["a long document", file("docs/recipes.md")],
  ["TypeScript", file("src/native/engine/run-turns.ts")],
  ["a shell script", file(".ci/run")],
  ["a lock file", file("package-lock.json")],
  ["JSON", JSON.stringify({ a: [1, 2, { b: "text here", c: null }], path: "/src/x.ts" }).repeat(100)],
  [
    "a log",
    Array.from({ length: 300 }, (_, n) => `2026-11-16T12:${n % 60}:01Z INFO [w-${n}] id=${hex(n)} ${n * 3}ms`).join(
      "\n",
    ),
  ],
  ["hexadecimal digits", Array.from({ length: 4_000 }, (_, n) => hex(n)).join("")],
  ["base64", Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 31) % 256)).toString("base64")],
  ["Chinese", "这是一个关于编程代理的说明文档，它解释了如何在一台机器上运行所有的命令。".repeat(50)],
  ["Japanese", "これは、コーディングエージェントをひとつの規則のもとで動かすための説明です。".repeat(50)],
  ["Russian", "Это описание того, как запускать агентов под одним набором правил. ".repeat(50)],
  ["German", "Überprüfen Sie größere Änderungen, bevor Sie sie übernehmen. ".repeat(50)],
  ["emoji", "😀🚀".repeat(300)],
  ["a table", "| a | b | c |\n|---|---|---|\n".repeat(100)],
])("the estimate of %s is within a quarter of OpenAI's own count", (_, text) => {
  const ratio = estimateTokens(text) / countO200k(text);
  expect(ratio).toBeGreaterThan(0.75);
  expect(ratio).toBeLessThan(1.25);
});

test("known texts have the tokens that OpenAI publishes for them", () => {
  // From the examples of tiktoken's own documentation and tests.
  expect(countO200k("tiktoken is great!")).toBe(6);
  expect(countO200k("")).toBe(0);
  expect(countO200k("hello world")).toBe(2);
  // A special token in a text is text.
  expect(countO200k("<|endoftext|>")).toBeGreaterThan(1);
});

test("a message is counted as it is sent", () => {
  const count = (text: string) => text.length;
  expect(messageTokens({ role: "user", text: "12345", source: "person" }, count)).toBe(4 + 5);
  const call = { type: "call" as const, id: "x", name: "read", input: { a: 1 } };
  expect(messageTokens({ role: "assistant", parts: [{ type: "text", text: "123" }, call], stop: "calls" }, count)).toBe(
    4 + 3 + (3 + 4 + '{"a":1}'.length),
  );
  const result = { callId: "x", name: "read", text: "12", failed: false };
  expect(messageTokens({ role: "tool", results: [result, result] }, count)).toBe(2 * (4 + 2));
  const image = { mediaType: "image/png", base64: "AAAA" };
  expect(messageTokens({ role: "tool", results: [{ ...result, images: [image] }] }, count)).toBe(4 + 2 + 1_600);
});

test.each([["a".repeat(400_000)], [" ".repeat(400_000)], ["\ud800".repeat(10_000)], ["é\u0301".repeat(50_000)]])(
  "a text made to be slow is counted all the same",
  (text) => {
    expect(countO200k(text)).toBeGreaterThan(100);
    expect(estimateTokens(text)).toBeGreaterThan(0);
  },
);
