import { expect, test } from "vitest";
import { mentionedPaths } from "./paths-in-text.ts";

test.each([
  ["no path", []],
  ["see @.env", [".env"]],
  ["@/etc/passwd, then @~/.ssh/id_rsa.", ["/etc/passwd,", "/etc/passwd", "~/.ssh/id_rsa.", "~/.ssh/id_rsa"]],
  ["(@a.md#L3)", ["a.md#L3)", "a.md", "a.md#L3"]],
  ['@"my file" @my\\ file', ["my file", '"my']],
  ["x@@y", ["@y", "y"]],
  ["@a".repeat(201), undefined],
])("%.20s mentions %j", (text, paths) => {
  expect(mentionedPaths(text)).toEqual(paths);
});
