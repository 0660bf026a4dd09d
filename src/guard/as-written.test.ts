import { expect, test } from "vitest";
import type { Rule } from "../contract/policy.ts";
import { judge } from "./judge/judge.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { presetPolicy } from "./policy/compiled-policy.ts";
import { readPolicyFile } from "./policy/load-policy.ts";

const place = { workspaceRoot: "/srv/repo", home: "/home/dev" };
const rule = (verdict: Rule["verdict"], argv: Rule["argv"], more: Partial<Rule> = {}): Rule => ({
  id: "own",
  source: "user",
  verdict,
  argv,
  exact: false,
  because: "",
  ...more,
});
const verdictOf = (command: string, own: Rule) => {
  const policy = presetPolicy("default", place);
  const call = { tool: "Bash", input: { command } };
  return judge(call, { ...policy, rules: [...policy.rules, own] }, fakeMachine({})).verdict;
};

const WRITTEN = rule("allow", ["mytool", "deploy"], { asWritten: true });

test.each([
  "mytool deploy",
  "mytool deploy x --y",
  "mytool deploy 'a b'",
  'mytool deploy "a b" *.txt',
  "  mytool deploy ",
])("%s stands as it is written in a rule", (command) => {
  expect(verdictOf(command, WRITTEN)).toBe("allow");
});

test.each([
  "git status && mytool deploy",
  "mytool deploy | head",
  "set -e; mytool deploy",
  "x=1; mytool deploy",
  "mytool deploy {a,b}",
  "timeout 5 mytool deploy",
  "nice mytool deploy",
  "/usr/bin/mytool deploy",
  "mytool 'deploy'",
  "mytool deployx",
  "bash -c 'mytool deploy'",
  "NODE_ENV=x mytool deploy",
  "mytool deploy > out.txt",
  "mytool deploy < in.txt",
  "(mytool deploy)",
  "mytool deploy &",
  "if true; then mytool deploy; fi",
  "for i in 1 2; do mytool deploy; done",
  "echo $(mytool deploy)",
])("%s is another way to run it, which the rule does not cover", (command) => {
  expect(verdictOf(command, WRITTEN)).toBe("ask");
  expect(verdictOf(command, { ...WRITTEN, asWritten: undefined, verdict: "deny" })).toBe(
    command.includes("deployx") ? "ask" : "deny",
  );
});

test("an exact rule that counts as written covers nothing more", () => {
  const exact = { ...WRITTEN, exact: true };
  expect([verdictOf("mytool deploy", exact), verdictOf("mytool deploy x", exact)]).toEqual(["allow", "ask"]);
});

test.each([
  [["wget*"], "wget2 x", "deny"],
  [["wget*"], "/usr/bin/wget-ssl x", "deny"],
  [["wget*"], "mywget x", "ask"],
  [["npm", "run", "deploy*"], "npm run deploy:prod", "deny"],
  [["npm", "run", "deploy*"], "npm run build", "allow"],
  [["*", "--no-verify"], "mytool a --no-verify", "deny"],
  [["*", "--no-verify"], "timeout 5 mytool --no-verify", "deny"],
  [["*", "--no-verify"], "mytool a", "ask"],
] as const)("a denial of %j makes %s %s", (argv, command, verdict) => {
  expect(verdictOf(command, rule("deny", argv))).toBe(verdict);
});

test("as_written is for grants only", () => {
  const file = (verdict: string) =>
    `version: 1\nrules:\n  - {id: a, argv: [x], as_written: true, verdict: ${verdict}}\n`;
  expect(readPolicyFile(file("allow"), "p").rules[0]?.as_written).toBe(true);
  expect(() => readPolicyFile(file("deny"), "p")).toThrow("only for verdict: allow");
});
