import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { agentIdsIn } from "../scripts/agent-ids.ts";
import { PACKS } from "../src/agents/packs.ts";
import { PROJECT } from "./support/run-signalbox.ts";

/** Where an agent may be known by its name. */
const AGENT_PLACES = /^src\/(?:agents|hosts\/copilot)\/|^src\/contract\/agent\.ts$/;

const IDS = PACKS.map(({ program }): string => program.name);

test("no file outside an agent's folder knows an agent by its name", () => {
  const files = globSync("src/**/*.ts", { cwd: PROJECT }).filter(
    (file) => !file.endsWith(".test.ts") && !AGENT_PLACES.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const uses = files.flatMap((file) =>
    agentIdsIn(file, readFileSync(resolve(PROJECT, file), "utf8"), IDS).map(
      ({ name, line }) => `${file}:${line}: ${name}`,
    ),
  );
  expect(uses).toEqual([]);
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
  expect(agentIdsIn("a.ts", text, IDS).length).toBe(count);
});
