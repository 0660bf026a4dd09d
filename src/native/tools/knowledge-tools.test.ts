import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { KnownSkill } from "../../contract/knowledge.ts";
import { skillTool } from "./knowledge-tools.ts";

function opened(read: KnownSkill["read"], files: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder();
  writeFiles(folder, { "SKILL.md": "x", ...files });
  const skill = {
    name: "review",
    description: "d",
    file: ".claude/skills/review/SKILL.md",
    folder,
    isOwn: false,
    read,
  };
  const tool = skillTool([skill], tempFolder());
  const context = { callId: "1", signal: new AbortController().signal, progress: () => {}, emit: () => {} };
  return { folder, use: async (name: string) => await tool.run({ name }, context) };
}

test("a skill is its text and the names of the files beside it", async () => {
  const { folder, use } = opened(() => ({ text: "BODY" }), { "scripts/a.sh": "", "b.md": "" });
  expect(await use("review")).toEqual({
    text: `BODY\n\n[Other files of this skill, in ${folder}: b.md, scripts/]`,
    failed: false,
    deeds: [{ kind: "read", path: join(folder, "SKILL.md") }],
  });
});

test("very many files are counted, a skill alone is only its text", async () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, ""]));
  expect((await opened(() => ({ text: "B" }), many).use("review")).text).toMatch(/, and 10 more\]$/);
  expect((await opened(() => ({ text: "B" })).use("review")).text).toBe("B");
});

test("an unknown skill gets the nearest name, an unreadable one the reason", async () => {
  const { use } = opened(() => ({ why: "a link out of the repository" }));
  expect([(await use("reviw")).text, (await use("zzzzzzzz")).text, (await use("review")).text]).toEqual([
    "unknown skill; did you mean review?",
    "unknown skill; skills: review",
    ".claude/skills/review/SKILL.md cannot be read: a link out of the repository",
  ]);
});
