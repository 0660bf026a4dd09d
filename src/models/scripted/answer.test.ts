import { expect, test } from "vitest";
import { argumentsOf, pieces } from "./wire.ts";

test("an empty text has no pieces and a short one is one", () => {
  expect(pieces("")).toEqual([]);
  expect(pieces("short")).toEqual(["short"]);
});

test("pieces of a long text are at most forty and make up the text again", () => {
  const text = "🚂 all aboard ".repeat(10_000);

  const parts = pieces(text);

  expect(parts.length).toBe(40);
  expect(parts.join("")).toBe(text);
  expect(parts.filter((part) => !part.isWellFormed())).toEqual([]);
});

test("free text given to a tool with arguments becomes its input", () => {
  expect(argumentsOf({ id: "1", name: "patch", input: "text" })).toEqual({ input: "text" });
  expect(argumentsOf({ id: "1", name: "read", input: { path: "a" } })).toEqual({ path: "a" });
});
