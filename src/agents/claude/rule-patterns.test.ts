import { expect, test } from "vitest";
import { claudePatterns } from "./own-rules.ts";

const BASES = { cwd: "/work", anchors: ["/settings"] };

test.each([
  ["*", [{ kind: "any" }]],
  ["Bash", [{ kind: "any" }]],
  ["Bash(:*)", [{ kind: "any" }]],
  ["Bash(ls)", [{ kind: "text", text: "ls" }]],
  [
    "Bash(git push:*)",
    [
      { kind: "text", text: "git push *" },
      { kind: "words", words: ["git", "push"] },
    ],
  ],
  [
    "Bash(rm *)",
    [
      { kind: "text", text: "rm *" },
      { kind: "words", words: ["rm"] },
    ],
  ],
  // An option may stand elsewhere, so its words say nothing about the order.
  ["Bash(git -C x:*)", [{ kind: "text", text: "git -C x *" }]],
  ["Bash(echo $HOME:*)", [{ kind: "text", text: "echo $HOME *" }]],
  ["WebFetch(domain:a)", []],
  ["mcp__x__*", []],
  ["B*h(x)", undefined],
  ["(", undefined],
])("the rule %s", (rule, expected) => {
  expect(claudePatterns(rule, BASES)).toEqual(expected);
});
