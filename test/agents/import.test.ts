import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ruleImport } from "../../src/agents/codex/rule-import.ts";
import { compare } from "../../src/commands/import/compare.ts";
import { corpusFor } from "../../src/commands/import/corpus.ts";
import type { Policy } from "../../src/contract/policy.ts";
import { planImport } from "../../src/guard/allow/plan-import.ts";
import { realMachine } from "../../src/guard/machine/real-machine.ts";
import { PROJECT, signalbox } from "../support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";
import { PINNED, program } from "./real-agent.ts";

const FIXTURES = join(PROJECT, "test/fixtures/import");

/** Of each file: rules taken exactly, more strictly and not at all, as the real agent's answers show. */
const PARTS: Readonly<Record<string, readonly [exact: number, stricter: number, none: number]>> = {
  "claude/01-prefixes.json": [4, 0, 0],
  "claude/02-whole-commands.json": [4, 0, 0],
  "claude/03-deny-before-allow.json": [3, 0, 2],
  "claude/04-wildcards.json": [0, 4, 2],
  "claude/05-paths.json": [3, 3, 2],
  "claude/06-write-rules.json": [0, 2, 1],
  "claude/07-hosts.json": [0, 3, 2],
  "claude/08-mcp.json": [3, 0, 1],
  "claude/09-whole-tools.json": [3, 0, 3],
  "claude/10-modes.json": [1, 0, 3],
  "claude/11-not-rules.json": [1, 0, 5],
  "claude/12-shell-syntax.json": [0, 2, 4],
  "claude/13-broad-grants.json": [0, 0, 6],
  "claude/14-known-to-presets.json": [5, 1, 2],
  "claude/15-options.json": [5, 1, 0],
  "claude/16-every-command.json": [0, 1, 1],
  "codex/01-prefixes.rules": [3, 0, 0],
  "codex/02-as-written-by-codex.rules": [2, 0, 0],
  "codex/03-alternatives.rules": [2, 0, 0],
  "codex/04-examples.rules": [2, 0, 0],
  "codex/05-strictest-wins.rules": [4, 0, 0],
  "codex/06-positional.rules": [3, 0, 0],
  "codex/07-strings.rules": [2, 0, 1],
  "codex/08-loop.rules": [2, 0, 1],
  "codex/09-variables.rules": [1, 0, 2],
  "codex/10-function.rules": [1, 0, 2],
  "codex/11-network.rules": [1, 1, 1],
  "codex/12-executables.rules": [1, 0, 2],
  "codex/13-broad-grants.rules": [1, 0, 3],
  "codex/14-known-to-presets.rules": [2, 1, 1],
};

/** Files about which the agent cannot be asked anything. */
const UNTRIED = ["claude/08-mcp.json", "claude/09-whole-tools.json", "codex/11-network.rules"];

const FILES = ["claude", "codex"].flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name) => ({ agent, name: `${agent}/${name}` })),
);

test("there are thirty files of rules", () => {
  expect(FILES.map(({ name }) => name)).toEqual(Object.keys(PARTS));
  expect(FILES.length).toBe(30);
});

test.each(FILES)("the real agent finds nothing looser in what is taken from $name", async ({ agent, name }) => {
  const env = { PATH: PINNED, HOME: tempFolder() };
  const flags = ["--from", join(FIXTURES, name), "--dry-run", "--json"];
  const { code, stdout, stderr } = await signalbox(["import", agent, ...flags], { cwd: tempRepository(), env });
  expect([code, stderr]).toEqual([0, ""]);
  const { exact, stricter, notTaken, check } = JSON.parse(stdout);
  expect({ parts: [exact.length, stricter.length, notTaken.length], looser: check.looser }).toEqual({
    parts: PARTS[name],
    looser: [],
  });
  expect(check.tried > 0).toBe(!UNTRIED.includes(name));
});

test("the real Codex shows a grant that is not limited to the words as they stand", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "work"));
  const text = 'prefix_rule(pattern=["mytool", "deploy"], decision="allow")\n';
  const rules = ruleImport.read([{ path: "default.rules", text }]);
  const place = { folder, workspaceRoot: tempRepository(), repository: false, agent: "codex", machine: realMachine };
  const plan = planImport(rules.rules, place);
  const { calls } = corpusFor(rules);
  const answers = await ruleImport.ask(calls, rules, {
    words: [program("codex")],
    folder,
    env: { PATH: PINNED },
    signal: AbortSignal.timeout(120_000),
    tell: () => {},
    startModel: () => Promise.reject(new Error("not needed")),
  });
  const looserWith = (will: Policy) =>
    compare(calls, answers, plan.rules, { was: plan.was, will, folder }).looser.map(({ call }) => call);
  expect(looserWith(plan.will)).toEqual([]);
  const wide = plan.will.rules.map((rule) => ({ ...rule, asWritten: undefined }));
  expect(looserWith({ ...plan.will, rules: wide })).toEqual([
    "Bash timeout 5 mytool deploy",
    "Bash nice mytool deploy",
    "Bash /usr/bin/mytool deploy",
    "Bash bash -c 'mytool deploy'",
  ]);
});
