import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { PACKS } from "../src/agents/packs.ts";
import { PROJECT } from "./support/run-signalbox.ts";

/** Where an agent may be known by its name. */
const AGENT_PLACES = /^src\/(?:agents|hosts\/copilot|hosts\/native)\/|^src\/contract\/agent\.ts$/;

const IDS = PACKS.map(({ program }): string => program.name);

/** The words of an identifier: `claudeShell`, `CODEX_HOOKS_OFF`. */
const wordsOf = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);

/** Texts that are the id of an agent, and identifiers with one in them. */
function agentIdsIn(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const check = (name: string, start: number) => {
    if (wordsOf(name).some((word) => IDS.includes(word)))
      found.push(`${file}:${text.slice(0, start).split("\n").length}: ${name}`);
  };
  const checkText = (value: unknown, start: number) => {
    if (typeof value === "string" && IDS.includes(value)) check(value, start);
  };
  new Visitor({
    Identifier: ({ name, start }) => check(name, start),
    PrivateIdentifier: ({ name, start }) => check(name, start),
    Literal: ({ value, start }) => checkText(value, start),
    TemplateElement: ({ value, start }) => checkText(value.cooked, start),
  }).visit(parseSync(file, text).program);
  return found;
}

test("no file outside an agent's folder knows an agent by its name", () => {
  const files = globSync("src/**/*.ts", { cwd: PROJECT }).filter(
    (file) => !file.endsWith(".test.ts") && !AGENT_PLACES.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => agentIdsIn(file, readFileSync(resolve(PROJECT, file), "utf8")))).toEqual([]);
});

test.each([
  ['if (agent === "codex") arm();', 1],
  ["const t = { claude: 1 };", 1],
  ["type A = `copilot`;", 1],
  ["class A { #amplifierHome = 1; }", 1],
  ["export const CODEX_HOOKS_OFF = /x/;", 1],
  ["interface CopilotParts { x: 1 }", 1],
  ["import { armClaude as arm } from './x.ts';", 1],
  ['const folder = ".claude/settings.json", model = "claude-sonnet-4-5", verb = "nested-copilot"; // codex', 0],
  ["const claudette = native.codexes;", 0],
])("%s has %i names of agents in it", (text, count) => {
  expect(agentIdsIn("a.ts", text).length).toBe(count);
});
