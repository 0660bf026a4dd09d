import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  LOSES_WORK,
  READS_SECRETS,
  REACHES_OUT,
  RUNS_CODE,
  WRITES_FLOORS,
} from "../../../test/fixtures/guard/preset-classes.ts";
import { HELD_PARTS } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { compileCorpusPolicy, readCorpusPolicy } from "../policy/corpus-policy.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge } from "../judge/judge.ts";
import { judgeLine } from "../judge-line.ts";
import { PRESETS } from "../presets/presets.ts";
import { HELD_CODES } from "./held-codes.ts";

const fixtures = join(import.meta.dirname, "../../../test/fixtures/guard");
const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const policies: unknown = JSON.parse(readFileSync(join(fixtures, "policies.json"), "utf8"));

interface Case {
  readonly line: Record<string, unknown>;
  readonly command: string;
  readonly accept: readonly string[];
}

const casesOf = (file: string): readonly Case[] =>
  readFileSync(join(fixtures, file), "utf8")
    .trim()
    .split("\n")
    .flatMap((text) => {
      const line: unknown = JSON.parse(text);
      const input = isRecord(line) ? line["input"] : undefined;
      const command = isRecord(input) ? input["command"] : undefined;
      if (!isRecord(line) || typeof command !== "string") return [];
      return [{ line, command, accept: strings(line["accept"]) ?? [] }];
    });

describe.each(["ordinary-commands.jsonl", "own-ordinary-commands.jsonl"])("%s", (file) => {
  const cases = casesOf(file);
  const verdict = ({ command }: Case) =>
    judge({ tool: "Bash", input: { command } }, daily, {
      ...fakeMachine({}),
      contained: HELD_PARTS,
      recoverable: () => true,
    }).verdict;

  test("every command gets a verdict that its label accepts", () => {
    expect(cases.length).toBeGreaterThan(100);
    expect(cases.filter((each) => !each.accept.includes(verdict(each))).map(({ command }) => command)).toEqual([]);
  });
});

test("a line says what could not be restored", () => {
  const line = { tool: "Bash", input: { command: "rm a.txt" }, policy: { default: "ask", write_roots: ["."] } };
  const inside = { contained: HELD_PARTS };
  const named = () => undefined;
  expect(judgeLine({ id: 1, ...line }, named, inside)).toMatchObject({ verdict: "allow", contained: true });
  const { workspaceRoot } = compileCorpusPolicy(readCorpusPolicy(line.policy));
  for (const changed of ["a.txt", `${workspaceRoot}/a.txt`])
    expect(judgeLine({ id: 1, ...line, world: { changed: [changed] } }, named, inside)).toMatchObject({
      verdict: "ask",
      code: "loses-work",
    });
});

const compiled = new Map<string, Policy>();

function policyOf(given: unknown): Policy {
  const reference = isRecord(given) ? given["ref"] : undefined;
  const key = typeof reference === "string" ? reference : JSON.stringify(given);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const source = typeof reference === "string" && isRecord(policies) ? policies[reference] : given;
  const made = compileCorpusPolicy(readCorpusPolicy(source));
  compiled.set(key, made);
  return made;
}

/** What the case's own policy says, and the codes that no part of the sandbox would account for. */
function unheld(command: string, policy: Policy, given: unknown): readonly string[] {
  const call = { tool: "Bash", input: { command } };
  const machine = fakeMachine(given);
  const inside = judge(call, policy, { ...machine, contained: HELD_PARTS, recoverable: () => true });
  if (inside.verdict !== "allow") return [];
  const unless = new Set(policy.rules.filter((rule) => rule.unless !== undefined).map(({ id }) => id));
  const dropped = judge(call, policy, machine).findings.filter(({ verdict }) => verdict !== "allow");
  return dropped
    .filter(({ code, rule, verdict }) => {
      const row = HELD_CODES[code];
      if (code.startsWith("rule-")) return !unless.has(rule);
      if (row?.kind === "held") return verdict === "deny" && row.denials !== true;
      // Loopback, and addresses that a program may never use: the sandbox has its own network.
      if (code.startsWith("network-")) return verdict === "deny" && !/localhost|127\.|no network/.test(command);
      return row === undefined || row.kind === "stays" || code === "needs-outside" || code === "secret-variable";
    })
    .map(({ code }) => `${code}: ${command}`);
}

test.each(["shell-cases.jsonl", "own-cases.jsonl"])(
  "an attack of %s passes inside only if the sandbox holds every reason against it",
  (file) => {
    const attacks = casesOf(file).filter(({ accept }) => !accept.includes("allow"));
    const found = attacks.flatMap(({ line, command }) => {
      return unheld(command, policyOf(line["policy"]), line["input"]);
    });
    expect(attacks.length).toBeGreaterThan(0);
    expect(found).toEqual([]);
  },
);

test("so does a hostile command under the default preset", () => {
  const attacks = [
    ...casesOf("preset-cases.jsonl")
      .filter(({ accept }) => !accept.includes("allow"))
      .map(({ command }) => command),
    ...RUNS_CODE,
    ...WRITES_FLOORS,
    ...LOSES_WORK,
    ...READS_SECRETS,
    ...REACHES_OUT,
  ];
  expect(attacks.flatMap((command) => unheld(command, daily, {}))).toEqual([]);
});

test("what is denied for a protected path, a secret, privileges or persistence outside is denied inside", () => {
  const codes = /^(?:path-denied-|escalates|git-setting|git-transport|injection)/;
  const softened = [...casesOf("own-cases.jsonl"), ...casesOf("preset-cases.jsonl")].filter(({ command }) => {
    const call = { tool: "Bash", input: { command } };
    const outside = judge(call, daily, fakeMachine({}));
    const floors = outside.findings.some(({ verdict, code }) => verdict === "deny" && codes.test(code));
    const inside = { ...fakeMachine({}), contained: HELD_PARTS, recoverable: () => true };
    return floors && judge(call, daily, inside).verdict !== "deny";
  });
  expect(softened.map(({ command }) => command)).toEqual([]);
});
