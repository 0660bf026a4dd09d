import { expect, test } from "vitest";
import { callLine } from "./describe-event.ts";

test("a search shows what it looks for, and where unless that is the whole workspace", () => {
  expect(callLine({ name: "grep", input: { pattern: "TODO", path: "." } })).toBe("grep TODO");
  expect(callLine({ name: "glob", input: { pattern: "**/*.ts" } })).toBe("glob **/*.ts");
  expect(callLine({ name: "grep", input: { pattern: "TODO", path: "src" } })).toBe("grep TODO in src");
});

test("a long pattern does not hide where it is looked for", () => {
  expect(callLine({ name: "grep", input: { pattern: "x".repeat(4000), path: "/etc/passwd" } })).toBe(
    `grep ${"x".repeat(49)}… in /etc/passwd`,
  );
});

test("other calls show their most telling argument", () => {
  expect(callLine({ name: "bash", input: { command: "ls\n  -l", cwd: "src" } })).toBe("bash ls ⏎ -l");
  expect(callLine({ name: "read", input: { path: "." } })).toBe("read .");
  expect(callLine({ name: "todo", input: {} })).toBe("todo");
  expect(callLine({ name: "other", input: { depth: 1 } })).toBe('other {"depth":1}');
  expect(callLine({ name: "other", input: "text" })).toBe("other");
});
