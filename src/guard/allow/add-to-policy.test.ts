import { expect, test } from "vitest";
import { readPolicyFile } from "../policy/load-policy.ts";
import { addToPolicy, NEW_POLICY, NOTHING_ADDED, type PolicyAddition, yamlWord } from "./edit-policy.ts";
import { parse } from "yaml";

const rule = { id: "allowed-x", argv: ["node", "a b.mjs"], exact: true, because: "why" };
const addition: PolicyAddition = { ...NOTHING_ADDED, rules: [rule], hosts: ["a.example:443"] };
const RULE = '  - id: allowed-x\n    argv: [node, "a b.mjs"]\n    exact: true\n    verdict: allow\n    because: why\n';

test("a new file gets the rule and the host in block form", () => {
  expect(addToPolicy(NEW_POLICY, addition)).toBe(
    `version: 1\nrules:\n${RULE}network:\n  allow:\n    - "a.example:443"\n`,
  );
});

test("comments, blank lines and the form of what is there stay as they are", () => {
  const text = `# mine
version: 1   # one

rules:
    - {id: a, argv: [ls , -l], verdict: ask}  # note
    # a comment below

    - id: b
      argv: [x]
      verdict: ask   # last

# about hosts
network: {mode: allowlist,  allow: ["*.example.org" ]} # odd blanks
paths:
  deny_read: [ secrets/** ]
# the end
`;
  const made = addToPolicy(text, { ...addition, readRoots: [".", "/opt/data"] });
  const added = made.split("\n").filter((line) => !text.split("\n").includes(line));
  expect(made).toContain("verdict: ask   # last\n    - id: allowed-x\n      argv: [node");
  expect(made).toContain('network: {mode: allowlist,  allow: ["*.example.org", "a.example:443" ]} # odd blanks');
  expect(made).toContain('  deny_read: [ secrets/** ]\n  read_roots:\n    - "."\n    - /opt/data\n# the end\n');
  expect(added.length).toBe(9);
  expect(readPolicyFile(made, "p").rules.map(({ id }) => id)).toEqual(["a", "b", "allowed-x"]);
});

test.each([
  ["an empty list", "version: 1\nrules: []\n"],
  ["a list in brackets over several lines", "version: 1\nrules: [\n  { id: a, argv: [x], verdict: ask }, # c\n]\n"],
  ["JSON", '{"version": 1, "rules": [{"id": "a", "argv": ["x"], "verdict": "ask"}]}'],
  ["JSON without the list", '{"version": 1}'],
  ["Windows line ends", "version: 1\r\nrules:\r\n  - { id: a, argv: [x], verdict: ask }\r\n"],
  ["no line end", "version: 1\nrules:\n- { id: a, argv: [x], verdict: ask }"],
  ["a document with marks", "---\nversion: 1\nrules:\n  - { id: a, argv: [x], verdict: ask }\n...\n"],
  ["marks and no list", "---\nversion: 1\n...\n"],
  ["an anchor", "version: 1\nrules:\n  - &r { id: a, argv: [x], verdict: ask }\nnetwork: { allow: [] }\n"],
  [
    "a folded text at the end",
    "version: 1\nrules:\n  - id: a\n    argv: [x]\n    verdict: ask\n    because: >-\n      one\n      two\n",
  ],
  [
    "a text block at the end",
    "version: 1\nrules:\n  - id: a\n    argv: [x]\n    verdict: ask\n    because: |\n      one\n\n",
  ],
])("%s can be added to", (_, text) => {
  const made = addToPolicy(text, addition);
  const before = readPolicyFile(text, "p");
  expect(readPolicyFile(made, "p")).toEqual({
    ...before,
    rules: [...before.rules, { ...rule, tool: "shell", verdict: "allow", match: [], not_match: [] }],
    network: { allow: ["a.example:443"], deny: [] },
  });
  expect(made.includes("\r\n") && /[^\r]\n/.test(made)).toBe(false);
});

test("a word is written on one line, and nothing in it is invisible", () => {
  const words = [
    ...'a|-x|1|true|null|~|a b|it\'s|"q"|a\\b|#x|@a|a: b|[x]|*|&a|!x|%|`|é|\u0456|.|..|-|=|{}|,|?|:|x:|0x1|1e3'.split(
      "|",
    ),
    "two\nlines",
    "tab\t",
    "\u0000\u0007\u001b[31m\u007f\u0085",
    "\u202e\u200b\u2028\u2066\ufeff\u{e0041}\u00ad\u00a0\u3164",
    "e\u0301",
    "\u{1f600}",
  ];
  for (const word of words) {
    const written = yamlWord(word);
    expect(parse(`- ${written}\n- [${written}, x]`)).toEqual([word, [word, "x"]]);
    expect(written).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Mn}\u00a0]/u);
  }
});
