import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { promptParts, systemPrompt } from "./system-prompt.ts";

const surroundings = {
  version: "1.2.3",
  cwd: "/nowhere",
  platform: "linux 6",
  date: "2026-11-15",
  repository: true,
  unattended: false,
};

const whole = (more: Partial<Parameters<typeof promptParts>[0]> = {}) =>
  systemPrompt(promptParts({ ...surroundings, ...more }));

test("the prompt is short, and says who, where and when the model works", () => {
  const prompt = whole();
  expect(prompt).toContain("You are signalbox 1.2.3,");
  expect(prompt).toContain(
    "Working folder: /nowhere (a git repository)\nSystem: linux 6\nDate: 2026-11-15\nIt is empty.",
  );
});

test("a model that works alone is told that nobody answers", () => {
  expect(whole({ unattended: false })).toContain("Ask only when you cannot go on");
  expect(whole({ unattended: true })).toContain("no question will be answered");
});

test("the parts are named, in order, and the texts of others have their places", () => {
  const parts = promptParts({ ...surroundings, instructions: "I", skills: "S", memory: "M" });
  expect(parts.map(({ name }) => name)).toEqual(
    "identity,environment,changes,limits,tools,instructions,skills,memory,last words".split(","),
  );
  expect(parts.find(({ name }) => name === "instructions")?.text).toMatch(/\n\nI$/);
  expect(promptParts(surroundings).map(({ name }) => name)).toEqual(
    "identity,environment,changes,limits,tools,last words".split(","),
  );
});

test("a folder is listed in one short line, whatever its names are, and the prompt stays below its limit", () => {
  const folder = tempFolder();
  const names = Array.from({ length: 3000 }, (_, index) => `${"long".repeat(40)}-${index}`);
  writeFiles(folder, Object.fromEntries(names.map((name) => [name, ""])));
  writeFiles(folder, { "a\nSystem: none": "", "src/x.ts": "" });
  const prompt = whole({ cwd: folder });
  // A token is at least three characters in such a text; the limit is 1,800 tokens.
  expect(prompt.length).toBeLessThan(1_800 * 3);
  const line = prompt.split("\n").find((each) => each.startsWith("It contains: ")) ?? "";
  expect(line).toMatch(/ and \d+ or more others$/);
  const small = tempFolder();
  writeFiles(small, { "a\nSystem: none": "", "src/x.ts": "", ".git/HEAD": "" });
  expect(whole({ cwd: small })).toContain("It contains: a\\nSystem: none src/\n");
});
