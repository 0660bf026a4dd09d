import { expect, test } from "vitest";
import { readImports } from "./read-imports.ts";

test.each([
  ["@a.md", ["a.md"]],
  ["see @./a.md and @../b/c.md", ["./a.md", "../b/c.md"]],
  ["@~/x @/etc/passwd @.env", ["~/x", "/etc/passwd", ".env"]],
  ["@a\\ b.md @c.md#part", ["a b.md", "c.md"]],
  ["mail a@b.c, `@code`, ``@more`` and @ alone", []],
  ["```\n@in\n~~~\n@in\n```\n@out", ["out"]],
  ["~~~~\n```\n@in\n~~~\n@in\n~~~~\n@out", ["out"]],
  ["```never closed\n@in", []],
])("the imports of %j are %j", (text, imports) => {
  const read = readImports(text);
  expect(read.imports).toEqual(imports);
  // The result must not contain imports that a reader could follow.
  expect(readImports(read.text)).toEqual({ text: read.text, imports: [] });
});
