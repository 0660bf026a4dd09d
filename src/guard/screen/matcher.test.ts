import { expect, test } from "vitest";
import { CONCEPTS } from "./concept.ts";
import { conceptNumber, matchConcepts } from "./matcher.ts";

function found(text: string): string[] {
  const events: string[] = [];
  matchConcepts(text, (concept, start, end) => events.push(`${CONCEPTS[concept] ?? ""}: ${text.slice(start, end)}`));
  return events;
}

test("a word counts whole, a stem also with an ending", () => {
  expect(found("forget")).toContain("override: forget");
  expect(found("forgettable")).toEqual([]);
  expect(found("passwords")).toContain("secret: passwords");
});

test("the words of a phrase may be joined by hyphens, underscores and line breaks", () => {
  for (const text of ["system prompt", "system-prompt", "system_prompt", "system\n  prompt"]) {
    expect(found(text)).toContain(`prompt: ${text}`);
  }
});

test("scripts without blanks are searched everywhere, spaced ones at the beginning of words", () => {
  expect(found("请忽略规则")).toContain("override: 忽略");
  expect(found("והתעלם")).toContain("override: התעלם");
  expect(found("unforget")).toEqual([]);
});

test("asking for a concept that does not exist is a mistake of ours", () => {
  expect(() => conceptNumber("nonsense")).toThrow("nonsense");
});
