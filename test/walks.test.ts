import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { edges } from "../scripts/import-graph.ts";
import { ROOMS } from "../scripts/rooms.ts";
import { PROJECT } from "./support/run-signalbox.ts";

const document = readFileSync(join(PROJECT, "ARCHITECTURE.md"), "utf8");

/** The walks of ARCHITECTURE.md with the source files that they name, in order. */
const walks = [...document.matchAll(/^### (?<title>.+)\n(?<text>[^]*?)(?=^##)/gm)].map(({ groups }) => ({
  title: groups?.["title"] ?? "",
  text: groups?.["text"] ?? "",
  files: [...(groups?.["text"] ?? "").matchAll(/`([\w-]+(?:\/[\w-]+)+\.ts)`/g)].map(([, file]) => `src/${file}`),
}));

const targets = Map.groupBy(edges(), ({ from }) => from);

function reachedFrom(first: string): ReadonlySet<string> {
  const reached = new Set([first]);
  for (const file of reached) for (const { to } of targets.get(file) ?? []) reached.add(to);
  return reached;
}

test("there are four walks", () => {
  expect(walks.map(({ title }) => title)).toEqual(["A launch", "A tool call", "A work order", "A turn"]);
  for (const { files } of walks) expect(files.length).toBeGreaterThan(5);
});

test.each(walks)("every file of '$title' exists, and is reached by imports from the first", ({ files }) => {
  expect(files.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
  const reached = reachedFrom(files[0] ?? "");
  expect(files.filter((file) => !reached.has(file))).toEqual([]);
});

test.each([
  "Copilot's hooks are installed in",
  "A tool call is denied in",
  "A receipt is sealed in",
  "A prompt is steered into",
])("the walks say where: %s", (sentence) => {
  expect(walks.filter(({ text }) => text.includes(sentence)).length).toBe(1);
});

test("the table of rooms shows the arrows and the number of doors", () => {
  const rows = [...document.matchAll(/^\| `(\w+)\/` +\|[^|]*\|([^|]*)\|([^|]*)\|$/gm)];
  const shown = rows.map(([, room = "", may = "", doors = ""]) => [room, may.trim(), doors.trim()]);
  const expected = Object.entries(ROOMS).map(([room, { imports, doors }]) => {
    const arrows = imports.filter((target) => target !== "package.json");
    return [room, arrows.join(", ") || "–", doors === undefined ? "all" : String(doors.length)];
  });
  expect(shown).toEqual(expected);
});
