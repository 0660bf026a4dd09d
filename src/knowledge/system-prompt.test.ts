import { expect, test } from "vitest";
import { systemPrompt } from "./system-prompt.ts";

const surroundings = { cwd: "/work", platform: "linux 6", date: "2026-11-15", repository: true, unattended: false };

test("the prompt is short, and says where and when the model works", () => {
  const prompt = systemPrompt(surroundings);
  // A token is at least three characters in such a text; the limit is 1,800 tokens.
  expect(prompt.length).toBeLessThan(1_800 * 3);
  expect(prompt).toContain("Working folder: /work (a git repository)\nSystem: linux 6\nDate: 2026-11-15");
});

test("a model that works alone is told that nobody answers", () => {
  const [attended, unattended] = [false, true].map((each) => systemPrompt({ ...surroundings, unattended: each }));
  expect(attended).toContain("Ask only when you cannot go on");
  expect(unattended).toContain("no question will be answered");
});
