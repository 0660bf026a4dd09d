import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { knowledgeScene } from "../../../test/support/knowledge-scene.ts";
import { loadInstructions, touchedInstructions } from "./instructions.ts";

function opened(files: Readonly<Record<string, string>>) {
  const place = knowledgeScene(files);
  const instructions = touchedInstructions(loadInstructions(place), place);
  const touch = (path: string) =>
    instructions.touched(join(place.workspace, path)).loaded.flatMap(({ names }) => names);
  return { place, instructions, touch };
}

test("a touched file brings in what is about it, once, and the model gets it from then on", () => {
  const { instructions, touch, place } = opened({
    "AGENTS.md": "top",
    ".github/instructions/ts.instructions.md": '---\napplyTo: "**/*.ts"\n---\nTS',
    ".github/instructions/api.instructions.md": '---\napplyTo: "src/api/**"\n---\nAPI',
    "src/AGENTS.md": "SRC",
    "src/api/AGENTS.md": "NESTED",
    "copy/AGENTS.md": "top",
  });
  expect(instructions.texts()).toEqual([]);
  expect(touch("README.md")).toEqual([]);
  expect(touch("src/a.ts")).toEqual([".github/instructions/ts.instructions.md", "src/AGENTS.md"]);
  expect(touch("src/b.ts")).toEqual([]);
  expect(touch("src/api/x.py")).toEqual([".github/instructions/api.instructions.md", "src/api/AGENTS.md"]);
  expect(touch("copy/x")).toEqual([]);
  expect(instructions.touched("/etc/passwd")).toEqual({ loaded: [], notLoaded: [] });
  expect(instructions.touched(place.workspace)).toEqual({ loaded: [], notLoaded: [] });
  expect(instructions.texts().map((text) => text.split("\n")[1])).toEqual(["TS", "SRC", "API", "NESTED"]);
});

test("an AGENTS.md that appears later counts from the first touch below it", () => {
  const { touch, place } = opened({});
  writeFiles(place.workspace, { "late/AGENTS.md": "LATE" });
  expect(touch("late/deep/x")).toEqual(["late/AGENTS.md"]);
});

test("what is brought in is bounded, and what does not fit is named", () => {
  const { instructions, touch, place } = opened({
    "a/AGENTS.md": "a".repeat(60_000),
    "b/AGENTS.md": "b".repeat(60_000),
    "c/AGENTS.md": "\0",
  });
  expect(touch("a/x")).toEqual(["a/AGENTS.md"]);
  expect(instructions.touched(join(place.workspace, "b/x"))).toEqual({
    loaded: [],
    notLoaded: [{ name: "b/AGENTS.md", why: "instructions for touched files are limited to 64 KB" }],
  });
  expect(instructions.touched(join(place.workspace, "c/x")).notLoaded).toEqual([
    { name: "c/AGENTS.md", why: "not a text file" },
  ]);
});
