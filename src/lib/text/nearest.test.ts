import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const NAMES = ["claude", "codex", "copilot", "mock", "native"];

test.each([
  ["claud", "claude"],
  ["Claude", "claude"],
  ["calude", "claude"],
  ["copliot", "copilot"],
  ["coplot", "copilot"],
  ["moc", "mock"],
  ["codec", "codex"],
  ["nosuch", undefined],
  ["mend", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
])("what is meant by %s is %s", (word, name) => {
  expect(nearest(word, NAMES)).toBe(name);
});
