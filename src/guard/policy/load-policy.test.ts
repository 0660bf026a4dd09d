import { describe, expect, test } from "vitest";
import { UserError } from "../../lib/text/user-error.ts";
import { readPolicyFile } from "./load-policy.ts";

/** The mistake in a policy: its place and its message. */
function mistake(text: string): { readonly where: string | undefined; readonly message: string } {
  try {
    readPolicyFile(text, "p.yaml");
  } catch (error) {
    if (error instanceof UserError) return { where: error.where, message: error.message };
    throw error;
  }
  throw new Error("the policy was accepted");
}

const rule = (fields: string) => `version: 1\nrules:\n  - id: r\n    verdict: allow\n${fields}`;

test("a good policy is read with its defaults", () => {
  const file = readPolicyFile(
    'version: 1\nextends: default\nrules:\n  - id: git-read\n    argv: [git, [status, diff]]\n    verdict: allow\n    match: ["git status -s"]\n    not_match: ["git -c core.pager=x diff", "git push"]\n',
    "p.yaml",
  );
  expect(file.rules).toEqual([
    {
      id: "git-read",
      tool: "shell",
      argv: ["git", ["status", "diff"]],
      exact: false,
      verdict: "allow",
      match: ["git status -s"],
      not_match: ["git -c core.pager=x diff", "git push"],
    },
  ]);
});

describe("what is wrong is named with file and line", () => {
  test.each([
    ["an unknown key", "version: 1\nrulez: []\n", "p.yaml:1"],
    ["an unknown key in a rule", rule("    argv: [ls]\n    colour: red\n"), "p.yaml:3"],
    ["a missing version", "rules: []\n", "p.yaml:1"],
    ["a preset that does not exist, or a file as one", "version: 1\nextends: ./other.yaml\n", "p.yaml:2"],
    ["broken YAML", "version: 1\nrules: [\n", "p.yaml:3"],
    ["a key twice", "version: 1\nversion: 1\n", "p.yaml:2"],
    ["a rule without a program", rule("    argv: []\n"), "p.yaml:5"],
    ["an empty alternative", rule("    argv: [git, []]\n"), "p.yaml:5"],
    ["a bare shell", rule("    argv: [bash]\n"), "p.yaml:5"],
    ["bare git", rule("    argv: [git]\n"), "p.yaml:5"],
    ["sudo among others", rule("    argv: [[ls, sudo]]\n"), "p.yaml:5"],
    ["a glob in a token", rule('    argv: [git, "stat*"]\n'), "p.yaml:5"],
    ["any host", 'version: 1\nnetwork:\n  allow: ["*"]\n', "p.yaml:3"],
    ["a host that strangers can register", 'version: 1\nnetwork:\n  allow: ["a.example", "*.com"]\n', "p.yaml:3"],
    ["a glob that does not compile", 'version: 1\npaths:\n  deny_read: ["{a,b}"]\n', "p.yaml:3"],
    ["the whole disk as a place to write", 'version: 1\npaths:\n  write_roots: ["/"]\n', "p.yaml:3"],
    ["an example that fails", rule('    argv: [git, status]\n    match: ["git log"]\n'), "p.yaml:3"],
    ["a counter-example that matches", rule('    argv: [git, status]\n    not_match: ["git status"]\n'), "p.yaml:3"],
    [
      "two rules of one id",
      "version: 1\nrules:\n  - { id: a, argv: [x], verdict: ask }\n  - { id: a, argv: [y], verdict: ask }\n",
      "p.yaml:4",
    ],
  ])("%s", (_, text, where) => {
    expect(mistake(text).where).toBe(where);
  });
});

test("a million rules are refused before they are compiled", () => {
  const text = `version: 1\nrules:\n${"  - { id: a, argv: [x], verdict: ask }\n".repeat(110_000)}`;
  expect(mistake(text).message).toMatch(/too long|rules/);
});

test("aliases that multiply are refused", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
    .split("")
    .map((name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${"abcdefgh"[index]}`).join(",")}]`)
    .join("\n")}\nversion: 1\n`;
  expect(mistake(bomb).message).toMatch(/too many aliases|not valid/);
});
